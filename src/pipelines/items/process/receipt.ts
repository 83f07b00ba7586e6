// The receipt of a job: what its file holds, and the fate of every item.
import type { Receipt } from '../../../engine/receipt.ts';
import type { IngestState } from '../ingest/ingest-state.ts';
import type { Counts } from '../sql/jobs.ts';

export type Fates = Pick<Counts, 'total' | 'done' | 'not_found' | 'error' | 'skipped'>;

export function receiptOfJob(
  { total, done, not_found, error, skipped }: Fates,
  ingest: Pick<IngestState, 'furniture' | 'content' | 'unremembered'> | null,
): Receipt {
  const outcomes = Object.entries({ DONE: done, NOT_FOUND: not_found, ERROR: error, SKIPPED: skipped }).filter(
    ([, many]) => many > 0,
  );
  // Copies of these rows may have been processed as rows of their own.
  const unremembered = ingest?.unremembered ?? 0;
  return {
    read: total,
    outcomes: Object.fromEntries(outcomes),
    ...(ingest === null ? {} : { furniture: ingest.furniture }),
    ...(ingest?.content === undefined ? {} : { content: ingest.content }),
    ...(unremembered === 0 ? {} : { doubts: { copies_not_recognised: 1 }, unremembered }),
  };
}
