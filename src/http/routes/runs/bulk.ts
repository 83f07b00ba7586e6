// POST /v1/runs/bulk: count first, then act on exactly that many, or on none.
import { authorize } from '../../../access/principal.ts';
import { routes } from '../../../contract/api/routes.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { ShownRun } from '../../../engine/reads/run-columns.ts';
import { isAsked } from '../../../engine/why.ts';
import { type Call, handle } from '../../call.ts';
import { actorOf, engineOf } from '../../engine-of.ts';
import { partsOf } from '../../pipeline-parts.ts';
import { mayRetry } from '../../run-actions/legal-actions.ts';
import { requeueAsItsPipeline } from '../../run-actions/requeue-dead-letter.ts';
import { findRuns } from '../../run-views/find-runs.ts';
import { finderOf } from '../../run-views/hidden-runs.ts';
import { titleOf } from '../../run-views/run-view.ts';

type BulkCall = Call<'runs.bulk'>;
type Action = BulkCall['body']['action'];

const MAX_RUNS = 10_000;
const PAGE = 500;
const SAMPLE = 10;
/** How many runs an entry of the audit log names. */
const NAMED_RUNS = 100;

const phasesOf: Record<Action, string> = {
  hold: 'waiting',
  resume: 'waiting',
  cancel: 'waiting,active',
  retry: 'failed',
  requeue: 'dead',
};

export const bulk = handle('runs.bulk', async (call) => {
  const { action, preview, expected } = call.body;
  authorize(call.principal, routes[`runs.${action}`].access);
  const runs = await matching(call);
  const answer = {
    action,
    preview,
    count: runs.length,
    changed: 0,
    skipped: [],
    sample: runs.slice(0, SAMPLE).map((run) => ({ run_id: run.id, title: titleOf(run), status: run.status })),
  };
  if (preview) {
    call.trail.changedNothing();
    return answer;
  }
  if (expected === undefined) throw new MillraceError('bulk_count_missing');
  if (runs.length !== expected) throw new MillraceError('bulk_count_changed', { found: runs.length, expected });
  return { ...answer, ...(await actOnEach(call, runs)) };
});

/** Runs of the filter on which the action is legal now, at most ten thousand. */
async function matching(call: BulkCall): Promise<ShownRun[]> {
  const { action, filter } = call.body;
  const { run_ids: runIds, ...words } = filter;
  const finder = finderOf(call);
  const wanted = narrow(phasesOf[action], words.phase);
  const found: ShownRun[] = [];
  let after: string | undefined;
  do {
    const page = await findRuns(finder, call.principal.tenantId, { ...words, phase: wanted }, { after, limit: PAGE });
    found.push(...page.rows.filter((run) => isLegal(call, run) && (runIds === undefined || runIds.includes(run.id))));
    after = page.next ?? undefined;
  } while (after !== undefined && found.length <= MAX_RUNS && wanted !== '');
  if (found.length > MAX_RUNS) throw new MillraceError('batch_too_large', { count: found.length, limit: MAX_RUNS });
  return found;
}

function narrow(possible: string, asked: string | undefined): string {
  if (asked === undefined) return possible;
  const both = possible.split(',').filter((phase) => asked.split(',').includes(phase));
  // A phase nothing is in, rather than no filter at all.
  return both.join(',') || 'none';
}

function isLegal({ app, body: { action }, principal }: BulkCall, run: ShownRun): boolean {
  if (action === 'hold') return run.held_at === null;
  if (action === 'resume') return run.held_at !== null && !isAsked(run);
  if (action === 'retry') return run.retried_as === null && mayRetry(principal, partsOf(app, run.pipeline).actions);
  return action !== 'requeue' || run.requeued_as === null;
}

async function actOnEach(call: BulkCall, runs: readonly ShownRun[]) {
  const skipped: { run_id: string; code: string; message: string }[] = [];
  const changed: string[] = [];
  for (const run of runs) {
    try {
      await act(call, run);
      changed.push(run.id);
      noteBulk(call, changed);
    } catch (error) {
      // Moved on since it was counted, or not yet allowed again. Anything else stops the rest.
      const isSkipped = error instanceof MillraceError && (error.kind === 'conflict' || error.code === 'sync_too_soon');
      if (!isSkipped) throw error;
      skipped.push({ run_id: run.id, code: error.code, message: error.message });
    }
  }
  noteBulk(call, changed);
  return { changed: changed.length, skipped: skipped.slice(0, PAGE) };
}

/** One entry for all of them, with the first of their ids. */
function noteBulk({ trail, body }: BulkCall, changed: readonly string[]): void {
  const data = { action: body.action, changed: changed.length, run_ids: changed.slice(0, NAMED_RUNS) };
  trail.acted({ data });
}

async function act(call: BulkCall, run: ShownRun): Promise<unknown> {
  const { id: runId, pipeline } = run;
  const engine = engineOf(call);
  const actor = actorOf(call.principal);
  switch (call.body.action) {
    case 'hold':
      return engine.hold(actor, runId);
    case 'resume':
      return engine.resume(actor, runId);
    case 'cancel':
      return engine.cancel(actor, runId);
    case 'retry':
      await partsOf(call.app, pipeline).actions?.beforeRetry?.(actor.tenantId, runId);
      return engine.retry(actor, runId);
    case 'requeue':
      return requeueAsItsPipeline(call, run, call.origin.correlationId ?? call.request.id);
  }
}
