// Objects that may still be growing are looked at once more before their sync ends, so that they need not wait for the next one: a server that tells no
// exact times shows every new object as one of them. The sync gives its worker back while it waits.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { failpoint } from '../../platform/failpoints.ts';
import { compareKeys, type PlacedObject } from '../../sources/place.ts';
import { lookAtOne } from './look-at-one.ts';
import { belongsTo } from './scope.ts';
import { pageObjects, readKnown } from './sql/objects.ts';
import { syncPage, TAKES_PER_COMMIT } from './sync-page.ts';
import { added, type SyncJob, type SyncState } from './sync-state.ts';

/** A source has one sync at a time: one that waits longer would keep new objects out. Then the next sync looks again. */
const LONGEST_WAIT_SECONDS = 900;

/** What follows the listing. */
export function afterListing(
  { source }: SyncJob,
  { counts }: SyncState,
): Pick<SyncState, 'step' | 'after' | 'settlesAt'> {
  const seconds = source.settle_seconds;
  const waits = counts.settling > 0 && seconds > 0 && seconds <= LONGEST_WAIT_SECONDS;
  if (!waits) return { step: 'vanish', after: null };
  return { step: 'settle', after: null, settlesAt: Date.now() + seconds * 1_000 };
}

export async function settle(job: SyncJob, from: SyncState): Promise<SyncState> {
  const waitMs = (from.settlesAt ?? 0) - Date.now();
  if (waitMs > 0) {
    const what = `${from.counts.settling} objects that may still be growing are looked at again`;
    throw new MillraceError('work_later', { what }, { retryAfterMs: waitMs });
  }
  const { context, source } = job;
  let state = from;
  for (;;) {
    const keys = await settlingAfter(job, state.after);
    const last = keys.at(-1);
    if (last === undefined) return { ...state, step: 'vanish' };
    const found: PlacedObject[] = [];
    for (const key of keys) {
      context.signal.throwIfAborted();
      const object = await lookAtOne(job, key);
      // What is gone again is left to the next listing.
      if (object !== undefined) found.push(object);
    }
    failpoint('sync.after_settled');
    // They were counted as settling; from here each counts as what it is now. They fit into one commit, so no kill counts them twice.
    const uncounted = { ...state, counts: added(state.counts, { settling: -found.length }) };
    state = { ...(await syncPage(job, uncounted, found, belongsTo(source), false)), after: last };
  }
}

/** The next ones that this sync itself has counted as settling, in the order of their keys. */
async function settlingAfter(job: SyncJob, after: string | null): Promise<string[]> {
  const { context, source } = job;
  const { id: syncId, tenantId } = context.run;
  const { keys: announced } = context.input;
  if (announced !== undefined) {
    const known = await context.commit((tx) => readKnown(tx, tenantId, source.source_id, announced));
    const settling = [...known.values()].filter(({ status }) => status === 'settling').map(({ key }) => key);
    const ahead = settling.sort(compareKeys).filter((key) => after === null || compareKeys(key, after) > 0);
    return ahead.slice(0, TAKES_PER_COMMIT);
  }
  const belongs = belongsTo(source);
  for (let from = after; ; ) {
    const page = { after: from, status: 'settling', limit: TAKES_PER_COMMIT };
    const rows = await context.commit((tx) => pageObjects(tx, tenantId, source.source_id, page));
    const counted = rows.filter((row) => row.missing_in !== syncId && belongs(row.key)).map(({ key }) => key);
    if (counted.length > 0 || rows.length < TAKES_PER_COMMIT) return counted;
    from = rows.at(-1)?.key ?? null;
  }
}
