// What a complete listing did not show any more. What it brought is deactivated, where the pipeline can; nothing is deleted. More than a fifth at
// once looks like a wrong prefix, an emptied bucket or a disk that is not mounted: a person decides.

import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { StageOutcome } from '../../engine/pipeline.ts';
import type { Question } from '../../engine/question.ts';
import { failpoint } from '../../platform/failpoints.ts';
import type { Place } from '../../sources/place.ts';
import { holdSync } from './hold-sync.ts';
import { lookAtOne } from './look-at-one.ts';
import { intakeNamed } from './sources-deps.ts';
import { writeLines } from './sql/lines.ts';
import { countMissing, endObjects, type MissingObject, pageMissing, unmarkMissing } from './sql/objects.ts';
import { noteCounts } from './sql/syncs.ts';
import { added, type SyncJob, type SyncState } from './sync-state.ts';

const MASS_SHARE = 0.2;
const BATCH = 100;

export async function endVanished(
  job: SyncJob,
  from: SyncState,
): Promise<SyncState | (StageOutcome & { ask: Question })> {
  const { context, source } = job;
  const { id: syncId, tenantId } = context.run;
  if (source.after_taken === 'move') await keepMoved(job);
  const { missing, known } = await context.commit((tx) => countMissing(tx, tenantId, source.source_id, syncId));
  const answer = (await context.answers()).at(-1);
  if (answer === undefined && missing > known * MASS_SHARE && from.counts.vanished === 0)
    return { on: 'ask', ask: questionOf(missing, known, source.name) };
  const end = answer?.choice === 'keep' ? 'kept' : 'deleted';
  let state = from;
  for (;;) {
    const batch = await context.commit((tx) =>
      pageMissing(tx, tenantId, source.source_id, { syncId, after: '', limit: BATCH }),
    );
    if (batch.length === 0) return { ...state, step: 'done' };
    // An answer may have taken days: what is there again has not vanished.
    const back = answer === undefined ? new Set<string>() : await lookAgain(job, batch);
    const gone = batch.filter(({ key }) => !back.has(key));
    if (end === 'deleted') await withdraw(job, gone);
    failpoint('sync.after_withdraw');
    const next: SyncState = { ...state, counts: added(state.counts, { vanished: gone.length }) };
    const keys = gone.map(({ key }) => key);
    await context.commit(
      async (tx) => {
        await unmarkMissing(tx, tenantId, source.source_id, [...back]);
        await endObjects(tx, tenantId, source.source_id, keys, end);
        const lines = keys.map((key) => ({ key, fate: 'vanished' as const, runId: null, errorCode: null }));
        await writeLines(tx, tenantId, source.source_id, syncId, lines);
        await noteCounts(tx, tenantId, source.source_id, syncId, next.counts);
      },
      { checkpoint: next },
    );
    state = next;
  }
}

/** The answer to a move may be lost, or its worker die before it is written down: what lies among the taken ones was moved. */
async function keepMoved({ context, source, place }: SyncJob): Promise<void> {
  const { id: syncId, tenantId } = context.run;
  for (let after = ''; ; ) {
    const page = { syncId, after, limit: BATCH };
    const missing = await context.commit((tx) => pageMissing(tx, tenantId, source.source_id, page));
    const moved: string[] = [];
    for (const { key } of missing) if (await wasMoved(place, key, context.signal)) moved.push(key);
    await context.commit((tx) => endObjects(tx, tenantId, source.source_id, moved, 'kept'));
    context.progress({ done: 0 });
    if (missing.length < BATCH) return;
    after = missing.at(-1)?.key ?? after;
  }
}

/** Where that may not be looked at, nobody says that it is gone. */
async function wasMoved(place: Place, key: string, signal: AbortSignal): Promise<boolean> {
  try {
    return await place.wasMoved(key, signal);
  } catch (error) {
    if (error instanceof MillraceError && error.code === 'source_object_denied') return true;
    throw error;
  }
}

async function lookAgain(job: SyncJob, objects: readonly MissingObject[]): Promise<Set<string>> {
  const back = new Set<string>();
  for (const { key } of objects) if ((await lookAtOne(job, key)) !== undefined) back.add(key);
  return back;
}

async function withdraw({ deps, source, context }: SyncJob, objects: readonly MissingObject[]): Promise<void> {
  const intake = intakeNamed(deps, source.pipeline);
  if (intake.withdraw === undefined) return;
  const hold = holdSync(context.run);
  for (const { source_uri: uri, run_id: runId } of objects) {
    context.signal.throwIfAborted();
    // Also of an object whose later content was refused: what it brought before is still served.
    if (runId !== null) await intake.withdraw({ tenantId: source.tenant_id, uri, sourceId: source.source_id, hold });
  }
}

function questionOf(vanished: number, known: number, name: string): Question {
  const { message } = new MillraceError('source_mass_deletion', { vanished, known });
  return {
    code: 'source_mass_deletion',
    text: `${message} Source: ${name}. Was that meant?`,
    details: { vanished, known },
    choices: [
      { choice: 'deactivate', label: `Yes: deactivate what the ${vanished} brought` },
      { choice: 'keep', label: 'No: keep what they brought' },
      { choice: 'stop', label: 'Stop this sync; the next one looks again', refuses: true },
    ],
  };
}
