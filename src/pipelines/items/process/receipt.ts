// The receipt of a job: what its file holds, and the fate of every item.
import { doubtMeanings, type NotedDoubt } from '../../../contract/doubts.ts';
import type { Receipt } from '../../../engine/receipt.ts';
import type { IngestState } from '../ingest/ingest-state.ts';
import type { Counts } from '../sql/jobs.ts';

export type Fates = Pick<Counts, 'total' | 'done' | 'not_found' | 'error' | 'skipped'>;
type IngestFacts = Pick<IngestState, 'furniture' | 'content' | 'unremembered' | 'noted'>;

export function receiptOfJob({ total, done, not_found, error, skipped }: Fates, ingest: IngestFacts | null): Receipt {
  const outcomes = Object.entries({ DONE: done, NOT_FOUND: not_found, ERROR: error, SKIPPED: skipped }).filter(
    ([, many]) => many > 0,
  );
  return {
    read: total,
    outcomes: Object.fromEntries(outcomes),
    ...(ingest === null ? {} : { furniture: ingest.furniture }),
    ...(ingest?.content === undefined ? {} : { content: ingest.content }),
    ...(ingest === null ? {} : doubtsOf(ingest)),
  };
}

/** Of the reading, and of rows whose copies may have been processed as rows of their own. */
function doubtsOf({ noted = {}, unremembered = 0 }: IngestFacts): Readonly<Record<string, unknown>> {
  if (unremembered === 0) return { ...noted };
  const copies: NotedDoubt = {
    code: 'copies_not_recognised',
    message: doubtMeanings.copies_not_recognised,
    rows_at_stake: unremembered,
    lines: [],
  };
  return {
    doubts: { ...noted.doubts, copies_not_recognised: 1 },
    in_doubt: [...(noted.in_doubt ?? []), copies],
    unremembered,
  };
}
