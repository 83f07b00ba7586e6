import type { ReactNode } from 'react';
import type { ItemStatus } from '../../../../src/contract/pipelines/items/item-statuses.ts';

/** Told by a mark as well, so that nobody needs the colour. */
const looks: Readonly<Record<ItemStatus, readonly [mark: string, colour: string]>> = {
  PENDING: ['◔', 'text-ink-2'],
  PROCESSING: ['▶', 'text-water-strong'],
  DONE: ['✓', 'text-good'],
  NOT_FOUND: ['?', 'text-warn'],
  ERROR: ['✕', 'text-bad'],
  SKIPPED: ['⊘', 'text-ink-2'],
};

export function StatusWord({ status }: { status: ItemStatus }): ReactNode {
  const [mark, colour] = looks[status];
  return (
    <span className={`whitespace-nowrap ${colour}`}>
      <span aria-hidden="true">{mark} </span>
      {status}
    </span>
  );
}
