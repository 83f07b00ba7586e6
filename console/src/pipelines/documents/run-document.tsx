import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { runQuery } from '../../features/run/show-run.ts';
import { EmptyState } from '../../ui/states.tsx';
import type { Place } from './document-search.ts';
import { DocumentView } from './document-view.tsx';

const route = getRouteApi('/shell/r/$runId');

/** The document a run works on, or has made a version of. */
export function RunDocument(): ReactNode {
  const { runId } = route.useParams();
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const [place, setPlace] = useState<Place>({});
  const docId = run.input.doc_id;
  if (typeof docId !== 'string') return <EmptyState icon="file" title="This run has no document" />;
  return <DocumentView docId={docId} runId={runId} place={place} onGo={setPlace} />;
}
