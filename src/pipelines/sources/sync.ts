// One sync: list → compare → store → accept, then what was still growing, then what has vanished. Killed anywhere, it goes on at the last key whose fate was written.
// Only a listing that came to its end proves absence, and much absence at once is asked about before anything is taken away.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { StageOutcome } from '../../engine/pipeline.ts';
import type { Receipt } from '../../engine/receipt.ts';
import { compareKeys, type PlacedObject } from '../../sources/place.ts';
import { listedPrefix, reachesInto } from './listed-part.ts';
import { lookAtOne } from './look-at-one.ts';
import { openCredential, openPlace } from './open-place.ts';
import { belongsTo } from './scope.ts';
import { afterListing, settle } from './settle.ts';
import type { SourcesDeps } from './sources-deps.ts';
import { markMissing } from './sql/objects.ts';
import { lockSource, noteSync, type SourceRow } from './sql/sources.ts';
import { forgetSyncs, recordSync } from './sql/syncs.ts';
import { putAwayLeft, syncPage } from './sync-page.ts';
import { beginning, provesAbsence, SYNCS_KEPT, type SyncContext, type SyncJob, type SyncState } from './sync-state.ts';
import { endVanished } from './vanished.ts';

/** As the pipeline's retry policy has it; the failure after the last retry is told as the source's. */
const TRANSIENT_RETRIES = 6;
/** Of what an installation gathered before syncs were forgotten; otherwise there is one. */
const FORGOTTEN_AT_ONCE = 1_000;

export async function syncSource(context: SyncContext, deps: SourcesDeps): Promise<StageOutcome> {
  const { input, run } = context;
  const source = await context.commit(async (tx) => {
    // A change that is being saved is waited for: this sync goes by what it says.
    const found = await lockSource(tx, run.tenantId, input.source_id, 'sync');
    if (found === undefined) return undefined;
    await recordSync(tx, run.tenantId, input.source_id, run.id);
    await forgetSyncs(tx, run.tenantId, input.source_id, { kept: SYNCS_KEPT, limit: FORGOTTEN_AT_ONCE });
    return found;
  });
  if (source === undefined)
    return failed(new MillraceError('source_not_found', { source: input.source_id }), input.source_id);
  try {
    return await work(context, deps, source);
  } catch (error) {
    const isOurs = error instanceof MillraceError && !context.signal.aborted;
    if (!isOurs || !isLast(context, error)) throw error;
    const { code } = error;
    await context.commit((tx) =>
      noteSync(tx, run.tenantId, source.source_id, { syncId: run.id, isComplete: false, errorCode: code }),
    );
    return failed(error, source.source_id);
  }
}

async function work(context: SyncContext, deps: SourcesDeps, source: SourceRow): Promise<StageOutcome> {
  const facts = { sourceId: source.source_id, place: source.place, moves: source.after_taken === 'move' };
  const place = await openPlace(deps, facts, openCredential(deps, source.source_id, source.credential));
  try {
    const job: SyncJob = { context, deps, source, place };
    let state = (await context.checkpoint<SyncState>()) ?? beginning;
    await putAwayLeft(job, state);
    if (state.step === 'list')
      state = context.input.keys === undefined ? await list(job, state) : await lookAt(job, state);
    if (state.step === 'settle') state = await settle(job, state);
    if (state.step === 'vanish' && context.input.keys === undefined && provesAbsence(state)) {
      const ended = await endVanished(job, state);
      if ('ask' in ended) return ended;
      state = ended;
    }
    return await finish(job, state);
  } finally {
    await place.close();
  }
}

async function list(job: SyncJob, from: SyncState): Promise<SyncState> {
  const { context, deps, source, place } = job;
  const belongs = belongsTo(source);
  const part = { prefix: listedPrefix(source), reaches: reachesInto(source) };
  let state = from;
  for await (const page of place.list({ ...part, after: from.after }, context.signal)) {
    context.signal.throwIfAborted();
    state = await syncPage(job, state, page, belongs, true);
    requireEnd(state, deps.settings.sourceMaxObjects);
  }
  const { tenantId, id: syncId } = context.run;
  const next: SyncState = { ...state, ...afterListing(job, state), left: [] };
  const rest = { after: state.after, upTo: null, keys: [], syncId, prefix: source.prefix };
  await context.commit(
    async (tx) => {
      if (provesAbsence(state)) await markMissing(tx, tenantId, source.source_id, rest);
    },
    { checkpoint: next },
  );
  return next;
}

/** A listing that never ends would fill the database before anybody noticed. */
function requireEnd({ counts }: SyncState, limit: number): void {
  const { seen, settling, outside } = counts;
  if (seen + settling + outside > limit)
    throw new MillraceError('source_listing_unusable', { reason: `it has more than ${limit} objects` });
}

/** The objects that the place announced. What is gone again is left to the next listing. */
async function lookAt(job: SyncJob, from: SyncState): Promise<SyncState> {
  const { context, source } = job;
  const keys = [...new Set(context.input.keys)].sort(compareKeys);
  const found: PlacedObject[] = [];
  for (const key of keys.filter((each) => from.after === null || compareKeys(each, from.after) > 0)) {
    const object = await lookAtOne(job, key);
    if (object !== undefined) found.push(object);
  }
  const done = await syncPage(job, from, found, belongsTo(source), false);
  const next: SyncState = { ...done, ...afterListing(job, done), left: [] };
  await context.commit(async () => undefined, { checkpoint: next });
  return next;
}

async function finish({ context, source }: SyncJob, { counts }: SyncState): Promise<StageOutcome> {
  const { run, input } = context;
  const isShut = counts.unlisted > 0;
  const end = {
    syncId: run.id,
    isComplete: input.keys === undefined && !isShut,
    errorCode: isShut ? 'source_directory_shut' : null,
  };
  await context.commit((tx) => noteSync(tx, run.tenantId, source.source_id, end));
  const { seen, new: isNew, changed, unchanged, refused, vanished, settling, outside, unlisted, bytes } = counts;
  const receipt: Receipt = {
    read: seen,
    outcomes: { new: isNew, changed, unchanged, refused },
    vanished,
    settling,
    outside,
    ...(isShut ? { unlisted } : {}),
    bytes,
  };
  const data = { source_id: source.source_id, seen, new: isNew, changed, unchanged, refused, vanished };
  return { on: refused > 0 ? 'part' : 'complete', receipt, emit: [{ type: 'source.synced', data }] };
}

function isLast({ run }: SyncContext, error: MillraceError): boolean {
  if (error.kind === 'rate_limited') return false;
  return error.kind !== 'transient' || (run.failures['transient:sync'] ?? 0) >= TRANSIENT_RETRIES;
}

function failed(error: MillraceError, sourceId: string): StageOutcome {
  const data = { source_id: sourceId, error_code: error.code };
  return {
    on: 'fail',
    error: { code: error.code, text: error.message },
    emit: [{ type: 'source.failed', data }],
  };
}
