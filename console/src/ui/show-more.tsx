import type { ReactNode } from 'react';
import { Button } from './button.tsx';

/** What of an infinite query the button needs. */
interface Pages {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}

/** The foot of a table that is loaded page by page; nothing where it has all its rows. */
export function ShowMore({ pages, label = 'Show more' }: { pages: Pages; label?: string }): ReactNode {
  if (!pages.hasNextPage) return null;
  return (
    <div className="flex justify-center border-t border-line p-3">
      <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
        {label}
      </Button>
    </div>
  );
}
