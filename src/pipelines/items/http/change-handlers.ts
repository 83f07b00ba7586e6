// What people do to jobs: kick off, pause, resume, reprocess, correct a cell, delete. Each with its entry in the audit log.
import { inTenant } from '../../../access/tenant-session.ts';
import type { OperationId } from '../../../contract/api/operations.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type Call, type Handlers, handle } from '../../../http/call.ts';
import { actorOf, engineOf } from '../../../http/engine-of.ts';
import { change, look } from '../../../http/routes/change.ts';
import { requireEnabled } from '../accept-job.ts';
import type { ItemsDeps } from '../deps.ts';
import { kickOff } from '../process/kickoff.ts';
import { ensureRun, resetItems } from '../reprocess.ts';
import { correctItem, deleteItems, deleteJob, markDeleted } from '../sql/change-items.ts';
import { readWaiting, setPause, type WholeJob } from '../sql/jobs.ts';
import { selectItem } from '../sql/read-items.ts';
import { requireJob } from './job-access.ts';
import { latestRun, queueStateOf, requireIngested, viewJob } from './job-view.ts';
import { forgetCounts } from './pending-count.ts';
import { showItem } from './read-handlers.ts';

type JobCall = Pick<Call<'jobs.pause'>, 'app' | 'principal' | 'params'> & Pick<Call<OperationId>, 'operation'>;

const ITEMS_PER_DELETE = 5_000;

export function changeHandlers(deps: ItemsDeps): Handlers {
  return { ...paceHandlers(deps), ...rowHandlers(deps) };
}

function jobOf(deps: ItemsDeps, call: JobCall): Promise<WholeJob> {
  requireEnabled(deps);
  return look(call, (db) => requireJob(db, call.principal, call.params.job_id));
}

const show = (call: JobCall) =>
  look(call, async (db) => viewJob(engineOf(call), db, await requireJob(db, call.principal, call.params.job_id)));

/** Whether and when the job goes on. */
function paceHandlers(deps: ItemsDeps): Handlers {
  return {
    ...handle('jobs.kickoff', async (call) => {
      const job = await jobOf(deps, call);
      const engine = engineOf(call);
      const run = await latestRun(engine, job);
      const state = queueStateOf(job, run);
      if (state === 'PAUSED')
        throw new MillraceError('job_paused', { job: job.job_id, by: job.paused_by ?? run?.held_by ?? 'somebody' });
      requireIngested(job, run);
      if (state === 'DONE' || state === 'FAILED')
        throw new MillraceError('job_ended', { job: job.job_id, state, action: 'a kick-off' });
      const { processed } = await kickOff(
        { engine, pool: call.app.pool, log: call.app.log, deps },
        job,
        call.query.durationMs,
      );
      call.trail.acted({ target: job.job_id, data: { processed } });
      const waiting = await look(call, (db) => readWaiting(db, job.job_id));
      // Nothing is left, or only what waits for its time: the run finds out itself.
      if (!waiting.is_open) await engine.resume(actorOf(call.principal), job.latest_run_id).catch(() => undefined);
      const after = await show(call);
      return { jobId: job.job_id, processed, remaining: after.pending_items, queue_state: after.queue_state };
    }),

    ...handle('jobs.pause', async (call) => {
      const job = await jobOf(deps, call);
      const engine = engineOf(call);
      const state = queueStateOf(job, await latestRun(engine, job));
      if (state === 'DONE' || state === 'FAILED')
        throw new MillraceError('job_ended', { job: job.job_id, state, action: 'a pause' });
      await change(
        call,
        (db) => setPause(db, job.job_id, call.principal.actor),
        (isNew) => (isNew ? { target: job.job_id } : undefined),
      );
      call.trail.changedNothing();
      return show(call);
    }),

    ...handle('jobs.resume', async (call) => {
      const job = await jobOf(deps, call);
      const engine = engineOf(call);
      const run = await latestRun(engine, job);
      const state = queueStateOf(job, run);
      if (state === 'DONE' || state === 'FAILED')
        throw new MillraceError('job_ended', { job: job.job_id, state, action: 'resuming' });
      const wasPaused = await change(
        call,
        (db) => setPause(db, job.job_id, null),
        (isNew) => (isNew ? { target: job.job_id } : undefined),
      );
      // Planned or held: due now. A run that is at work, or queued already, goes on by itself.
      const hurried = await engine.resume(actorOf(call.principal), job.latest_run_id).then(
        () => true,
        (error: unknown) => {
          if (error instanceof MillraceError && error.kind === 'conflict') return false;
          throw error;
        },
      );
      if (!wasPaused && !hurried) throw new MillraceError('job_not_paused', { job: job.job_id, state });
      if (!wasPaused) call.trail.acted({ target: job.job_id });
      return show(call);
    }),
  };
}

/** What becomes of its rows. */
function rowHandlers(deps: ItemsDeps): Handlers {
  return {
    ...handle('jobs.reprocess', async (call) => {
      const job = await jobOf(deps, call);
      const run = await latestRun(engineOf(call), job);
      requireIngested(job, run);
      const { scope = 'job', itemIds, statuses } = call.body ?? {};
      const wanted = {
        itemIds: scope === 'items' || itemIds !== undefined ? (itemIds ?? []) : null,
        statuses: statuses ?? null,
      };
      const reset = await resetItems((work) => inTenant(call.app.pool, job.tenant_id, work), job.job_id, wanted);
      call.trail.acted({ target: job.job_id, data: { reset } });
      forgetCounts(job.tenant_id);
      // Items without a fate go on as well, if their run has ended: it failed or was cancelled, or the answer to the first request was lost.
      const isLeft = async () => (await look(call, (db) => readWaiting(db, job.job_id))).is_open;
      const mustRun = reset > 0 || (run?.finished_at !== null && (await isLeft()));
      const runId = mustRun ? await ensureRun(engineOf(call), job) : job.latest_run_id;
      call.reply.code(202);
      return {
        jobId: job.job_id,
        run_id: runId,
        reset,
        skipped: Math.max(0, (wanted.itemIds?.length ?? reset) - reset),
      };
    }),

    ...handle('jobs.correct', async (call) => {
      const job = await jobOf(deps, call);
      const { item_id: itemId } = call.params;
      const run = await latestRun(engineOf(call), job);
      if (run?.finished_at) requireIngested(job, run);
      const unknown = Object.keys(call.body.cells).find((column) => !job.input_columns.includes(column));
      if (unknown !== undefined)
        throw new MillraceError('correction_invalid', { reason: `the file has no column ${unknown}` });
      await change(
        call,
        async (db) => {
          const item = await selectItem(db, job.job_id, itemId);
          if (item === undefined) throw new MillraceError('item_not_found', { item: itemId, job: job.job_id });
          const cells: Record<string, string | null> = { ...item.corrections, ...call.body.cells };
          const kept = Object.entries(cells).filter(
            ([column, text]) => text !== null && text !== (item.input_json?.[column] ?? ''),
          );
          const corrections = kept.length === 0 ? null : (Object.fromEntries(kept) as Record<string, string>);
          if (!(await correctItem(db, job.job_id, itemId, corrections)))
            throw new MillraceError('item_at_work', { item: itemId });
        },
        () => ({ target: job.job_id, data: { item: itemId } }),
      );
      await ensureRun(engineOf(call), job);
      return look(call, (db) => showItem(db, call));
    }),

    ...handle('jobs.remove', async (call) => {
      const job = await jobOf(deps, call);
      const run = await latestRun(engineOf(call), job);
      if (run !== undefined && run.finished_at === null)
        throw new MillraceError('job_still_running', { job: job.job_id });
      await change(
        call,
        (db) => markDeleted(db, job.job_id),
        () => ({ target: job.job_id }),
      );
      forgetCounts(job.tenant_id);
      const within = <T>(work: Parameters<typeof inTenant<T>>[2]) => inTenant(call.app.pool, job.tenant_id, work);
      // Seen by nobody from here on; should this process die, the cleanup takes the rest.
      while ((await within((db) => deleteItems(db, job.job_id, ITEMS_PER_DELETE))) > 0);
      await within((db) => deleteJob(db, job.job_id));
      return undefined;
    }),
  };
}
