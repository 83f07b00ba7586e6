// R20: a claim in doubt. The server waits with it for a lock, the connection is reset, the server commits it all the same: a lease that
// its worker does not know of. Every other time the worker is stopped meanwhile, so that nobody is left to find out.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { frontOf } from '../../support/pgbouncer.ts';
import { type ChaosProcess, type Ground, patienceMs } from '../ground.ts';
import { addressOf, openProxy } from '../proxy.ts';
import { resultOf, type Suite } from './suite.ts';

const RUNS_PER_ROUND = 6;
/** By its locks: the text of a statement is cut off before it comes to the leases. */
const CLAIMS_WAIT = `
  select from pg_locks w join pg_locks h on h.pid = w.pid
  where not w.granted and h.granted and h.relation = 'engine.leases'::regclass and h.mode = 'RowExclusiveLock'
    and h.database = (select oid from pg_database where datname = current_database())
  limit 1`;
const PATIENCE_MS = 30_000;
const FOUND = 'a lease that nobody worked on was given back';

export const doubtClaims: Suite = async ({ server, random, dose, leaseMs, heartbeatMs, say }) => {
  const ground = await server.ground({ leaseMs, heartbeatMs, pollMs: 50, concurrency: 5, drainMs: 1_000 });
  const front = frontOf(ground.appUrl);
  const proxy = await openProxy(front, random);
  front.standsBefore(proxy.port);
  let doubts = 0;
  const workers: ChaosProcess[] = [];
  const startWorker = async (url: string) => {
    const worker = ground.worker({ url, services: false });
    workers.push(worker);
    await worker.until('ready', 60_000);
    return worker;
  };
  try {
    const url = proxy.urlOf(ground.appUrl);
    const keeper = ground.worker({ work: false, consume: true });
    await keeper.until('ready', 60_000);
    let worker = await startWorker(url);
    for (let number = 0; number < dose.doubts; number += 1) {
      const isStopped = number % 2 === 1;
      const cut = await claimInDoubt(ground, random.seed + number, async () => {
        if (isStopped) worker.signal('SIGTERM');
        return proxy.cutWaiting(0);
      });
      if (cut > 0) doubts += 1;
      if (isStopped) {
        await worker.exited;
        worker = await startWorker(url);
      } else await untilAllEnded(ground);
      if (number % 20 === 19) say(`R20: ${number + 1} of ${dose.doubts} claims in doubt`);
    }
    await ground.settle(5_000);
    const audit = ground.audit();
    const givenBack = workers.reduce((sum, { said }) => sum + said.filter((word) => word === FOUND).length, 0);
    return resultOf({
      ...{ id: 'R20', dose: { doubts: dose.doubts }, audits: [audit] },
      atLeast: {
        acknowledged: dose.doubts * RUNS_PER_ROUND,
        doubts: Math.ceil(dose.doubts / 2),
        // A pooler ends what its client no longer waits for.
        leasesInDoubt: front.port === addressOf(ground.appUrl).port ? Math.ceil(dose.doubts / 2) : 0,
      },
      details: { doubts, givenBack, leasesInDoubt: givenBack + audit.lostAttempts },
    });
  } finally {
    await ground.close();
    await proxy.close();
  }
};

/** Runs whose claim has to wait for their rows; `strike` comes while it does. */
async function claimInDoubt(ground: Ground, seed: number, strike: () => Promise<number>): Promise<number> {
  await ground.ask(
    `insert into engine.pauses (pipeline, lane, paused_by) values ('tally', '', 'chaos') on conflict do nothing`,
  );
  await ground.feeder({ count: RUNS_PER_ROUND, seed, batch: RUNS_PER_ROUND, stepMs: 5 }).exited;
  const blocker = new pg.Client({ connectionString: ground.adminUrl });
  await blocker.connect();
  try {
    await blocker.query('begin');
    await blocker.query(`select from engine.runs where phase = 'waiting' for update`);
    await ground.ask(`delete from engine.pauses where pipeline = 'tally'`);
    const deadline = Date.now() + 10_000 + patienceMs;
    while (Date.now() < deadline && (await ground.ask(CLAIMS_WAIT)).length === 0) await pause(10);
    const cut = await strike();
    await pause(100);
    return cut;
  } finally {
    await blocker.query('rollback');
    await blocker.end();
  }
}

/** The worker is left alone until it has found what it holds. What it does not find is stuck, and counted at the end. */
async function untilAllEnded(ground: Ground): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS + patienceMs;
  const open = `select from engine.runs where phase in ('waiting', 'active') limit 1`;
  while (Date.now() < deadline && (await ground.ask(open)).length > 0) await pause(50);
}
