// R21: statements that stall. A few runs wait inside their effects for a lock that somebody else does not let go; tables are locked
// briefly, as DDL does. All other runs come to their ends while the lock is held, and those that waited do when it is gone.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Ground, patienceMs } from '../ground.ts';
import { resultOf, type Suite } from './suite.ts';

const RUNS_PER_ROUND = 16;
const STALLED = 2;
/** Others are through long before, however slow the machine; whoever waits for the lock is not. */
const PATIENCE_MS = 60_000;

export const stallStatements: Suite = async ({ server, random, dose, leaseMs, heartbeatMs, say }) => {
  const settings = { leaseMs, heartbeatMs, pollMs: 50, concurrency: 5, drainMs: 2_000, stallMs: 2_000 };
  const ground = await server.ground(settings);
  const own: string[] = [];
  let stalled = 0;
  try {
    const workers = [ground.worker({ consume: true }), ground.worker({ consume: true })];
    await Promise.all(workers.map((worker) => worker.until('ready', 60_000)));
    for (let number = 0; number < dose.stalls; number += 1) {
      const { left, victims } = await stallSome(ground, random.seed + number);
      stalled += victims;
      if (left > 0) own.push(`${left} runs waited for a lock of others`);
      if (number % 10 === 9) say(`R21: ${number + 1} of ${dose.stalls} stalls`);
    }
    await ground.settle(10_000);
    return resultOf({
      ...{ id: 'R21', dose: { stalls: dose.stalls }, audits: [ground.audit()], own },
      atLeast: { acknowledged: dose.stalls * RUNS_PER_ROUND, stalled: dose.stalls * STALLED },
      details: { stalled },
    });
  } finally {
    await ground.close();
  }
};

/** How many others had not ended while the lock was held. */
async function stallSome(ground: Ground, seed: number): Promise<{ left: number; victims: number }> {
  await ground.ask(
    `insert into engine.pauses (pipeline, lane, paused_by) values ('tally', '', 'chaos') on conflict do nothing`,
  );
  await ground.feeder({ count: RUNS_PER_ROUND, seed, batch: RUNS_PER_ROUND, stepMs: 5 }).exited;
  const victims = await ground.ask<{ run_id: string }>(
    `insert into chaos.stalls (run_id)
     select id from engine.runs where phase = 'waiting' order by id limit ${STALLED} returning run_id`,
  );
  const blocker = new pg.Client({ connectionString: ground.adminUrl });
  await blocker.connect();
  try {
    await blocker.query('begin');
    await blocker.query('select from chaos.stalls for update');
    await ground.ask(`delete from engine.pauses where pipeline = 'tally'`);
    // What a migration does to a table that everybody writes to.
    await ground.ask(`do $$ begin lock table chaos.effects in access exclusive mode; perform pg_sleep(0.2); end $$`);
    return {
      left: await othersEnd(
        ground,
        victims.map(({ run_id }) => run_id),
      ),
      victims: victims.length,
    };
  } finally {
    await blocker.query('rollback');
    await blocker.end();
    await ground.ask('delete from chaos.stalls');
  }
}

async function othersEnd(ground: Ground, victims: readonly string[]): Promise<number> {
  const deadline = Date.now() + PATIENCE_MS + patienceMs;
  for (;;) {
    const [row] = await ground.ask<{ left: number }>(
      `select count(*)::int as left from engine.runs where phase in ('waiting', 'active') and not (id = any ($1::uuid[]))`,
      [victims],
    );
    if (!row?.left || Date.now() > deadline) return row?.left ?? 0;
    await pause(50);
  }
}
