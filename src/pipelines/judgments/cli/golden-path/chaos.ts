// Crash proofs on this machine's installation: a worker is killed while it works on a batch, this process takes over, and the tables
// must look as if nothing had happened. No other worker may run meanwhile, or the kill would miss.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { inTenant } from '../../../../access/tenant-session.ts';
import type { Connection, Toolbox } from '../../../../cli/connection.ts';
import { MillraceError } from '../../../../contract/errors/millrace-error.ts';
import { readAttempts } from '../../../../engine/reads/read-attempts.ts';
import { readRunEvents } from '../../../../engine/reads/read-events.ts';
import type { Queryable } from '../../../../platform/database.ts';
import { type Check, checkCleanup, type TestBatch, testBatch, waitForEnd } from './checks.ts';
import { readRowProof, readShownStart } from './sql/read-proofs.ts';

const ROWS = 50_000;
const DELIVERIES = 8;
const CLAIM_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 20;
/** So that the takeover need not be waited for long. */
const victimTimings = { LEASE_SECONDS: '4', HEARTBEAT_SECONDS: '1' };

export async function proveCrashes(
  connection: Connection,
  options: { readonly suffix: string; readonly timeoutMs: number },
): Promise<Check[]> {
  const { call, tools, tenantId } = connection;
  if (tools === undefined || tenantId === undefined)
    throw new MillraceError('golden_path_dev_only', {
      reason: 'they need the database of this machine, not MILLRACE_URL',
    });
  await requireIdle(connection);
  const batch = testBatch(`${options.suffix}_chaos`, ROWS);
  const { run_id: runId } = await call('batches.create', { body: batch.form() });
  const wasKilled = await killWorkerOf(connection, batch);
  await tools.engine.start({ worker: true, services: true });
  const shown = await waitForEnd(call, batch.id, options.timeoutMs);
  const rows = await inTenant(tools.app, tenantId, (db) => readRowProof(db, tenantId, runId));
  const takeover = await provenTakeover(tools, tenantId, runId);
  const checks = [
    {
      name: 'Killed Worker',
      isHeld: wasKilled && shown.status === 'completed' && shown.record_count === ROWS,
      detail: `${wasKilled ? 'killed at work' : 'not caught at work'}, then ${shown.status}, record_count ${shown.record_count}`,
    },
    {
      name: 'Rows Once',
      isHeld: rows.judgments === ROWS && rows.distinct_cases === ROWS && rows.plaintiffs === 1,
      detail: `${rows.judgments} rows, ${rows.distinct_cases} cases, ${rows.plaintiffs} plaintiffs`,
    },
    takeover,
    await proveDeliveries(connection, options.suffix, options.timeoutMs),
  ];
  const { isHeld } = await checkCleanup(call, batch);
  return [...checks, { name: 'Chaos Cleanup', isHeld, detail: isHeld ? 'nothing left' : 'rows left' }];
}

async function requireIdle({ call }: Connection): Promise<void> {
  const { data: workers } = await call('operate.workers');
  const alive = workers.filter((worker) => worker.state === 'alive').length;
  if (alive > 0)
    throw new MillraceError('golden_path_dev_only', { reason: `${alive} other workers are alive; stop them first` });
}

/** A worker process of its own, killed as soon as it has the batch. True when it was at work then. */
async function killWorkerOf({ call }: Connection, batch: TestBatch): Promise<boolean> {
  const victim = startWorker();
  try {
    const deadline = performance.now() + CLAIM_TIMEOUT_MS;
    while (performance.now() < deadline) {
      const { status } = await call('batches.show', { params: { batch_id: batch.id } });
      if (status !== 'pending') return status === 'processing';
      await pause(LOOK_EVERY_MS);
    }
    return false;
  } finally {
    const gone = once(victim, 'exit');
    victim.kill('SIGKILL');
    await gone;
  }
}

function startWorker(): ChildProcess {
  const [program = ''] = process.argv.slice(1);
  return spawn(process.execPath, [...process.execArgv, program, 'worker'], {
    env: { ...process.env, ...victimTimings },
    stdio: 'ignore',
  });
}

/** The alert comes by the outbox, a moment after the batch has ended. */
async function provenTakeover({ engine }: Toolbox, tenantId: string, runId: string): Promise<Check> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const proof = await readRunProof(engine.pools.control, tenantId, runId);
    const isHeld =
      proof.lost === 1 &&
      proof.attempts === 2 &&
      proof.terminalEvents === 1 &&
      proof.isRestarted &&
      proof.takeoverAlerts === 1;
    const detail = `${proof.lost} lost of ${proof.attempts} attempts, ${proof.takeoverAlerts} takeover alert`;
    if (isHeld || performance.now() > deadline) return { name: 'Stale Takeover', isHeld, detail };
    await pause(LOOK_EVERY_MS * 5);
  }
}

/** What the crash left behind in the history of the run. */
async function readRunProof(db: Queryable, tenantId: string, runId: string) {
  const attempts = await readAttempts(db, tenantId, runId);
  const lost = attempts.filter(({ outcome }) => outcome === 'lost');
  const types = ['alert.raised', 'run.done', 'run.failed'];
  const events = await readRunEvents(db, tenantId, runId, { types });
  const alerts = events.filter(({ type }) => type === 'alert.raised');
  const shownStart = await readShownStart(db, runId);
  const lastLostAt = lost.at(-1)?.started_at;
  return {
    attempts: attempts.length,
    lost: lost.length,
    takeoverAlerts: alerts.filter(({ data }) => String(data.message).startsWith('[STALE TAKEOVER] ')).length,
    terminalEvents: events.length - alerts.length,
    // Shown is the start of the attempt that ended the batch, not of the one that was lost.
    isRestarted: shownStart !== undefined && lastLostAt !== undefined && shownStart > lastLostAt,
  };
}

/** The same batch uploaded by many at the same moment is one run. */
async function proveDeliveries({ call }: Connection, suffix: string, timeoutMs: number): Promise<Check> {
  const batch = testBatch(`${suffix}_twice`);
  const answers = await Promise.all(
    Array.from({ length: DELIVERIES }, () => call('batches.create', { body: batch.form() })),
  );
  const runs = new Set(answers.map((answer) => answer.run_id));
  const accepted = answers.filter((answer) => answer.outcome === 'accepted').length;
  await waitForEnd(call, batch.id, timeoutMs);
  await checkCleanup(call, batch);
  const detail = `${DELIVERIES} deliveries, ${runs.size} run, accepted ${accepted}`;
  return { name: 'Duplicate Delivery', isHeld: runs.size === 1 && accepted === 1, detail };
}
