import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { DocumentView } from './document-view.tsx';

const route = getRouteApi('/shell/data/documents/$docId');

/** Version and page stand in the address: a link shows the same page to somebody else. */
export function DocumentPage(): ReactNode {
  const { docId } = route.useParams();
  const navigate = route.useNavigate();
  return (
    <DocumentView
      key={docId}
      docId={docId}
      place={route.useSearch()}
      onGo={(search) => void navigate({ search, replace: true, resetScroll: false })}
    />
  );
}
