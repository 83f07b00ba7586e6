// R22: the primary dies and a replica that lagged behind is promoted: commits that workers were told of are gone. Their executions find
// out, and every run goes on from what the new primary has; none is done with rows missing or there twice. Runs are submitted
// before the replica falls behind: what is acknowledged after that is lost with an asynchronous replica, which is documented.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Audit } from '../auditor.ts';
import { Ground, patienceMs } from '../ground.ts';
import { openProxy } from '../proxy.ts';
import { openReplicas, type ReplicaPair } from '../replica.ts';
import { resultOf, type Suite } from './suite.ts';

const RUNS = 16;
const ENOUGH = 4;
const PATIENCE_MS = 30_000;

export const promoteReplica: Suite = async ({ random, dose, leaseMs, heartbeatMs, say }) => {
  const replicas = await openReplicas();
  const audits: Audit[] = [];
  let lostCommits = 0;
  try {
    for (let number = 0; number < dose.promotions; number += 1) {
      const pair = await replicas.startPair();
      const target = { host: '127.0.0.1', port: pair.primaryPort };
      const proxy = await openProxy(target, random);
      const settings = { leaseMs, heartbeatMs, pollMs: 50, concurrency: 8, drainMs: 2_000 };
      const ground = new Ground(proxy.urlOf(pair.adminUrl), proxy.urlOf(pair.appUrl), settings);
      try {
        const workers = [ground.worker({ consume: true }), ground.worker({ consume: true })];
        await Promise.all(workers.map((worker) => worker.until('ready', 60_000)));
        await ground.feeder({ count: RUNS, seed: random.seed + number, batch: RUNS, parts: 12, stepMs: 150 }).exited;
        await fallBehind(pair, ground);
        const committed = await commitsBeyond(ground, await countParts(ground));
        await pair.promote();
        target.port = pair.replicaPort;
        // Connections to the dead primary break by themselves; new ones reach the new one.
        lostCommits += Math.max(0, committed - (await countParts(ground)));
        await ground.settle(15_000);
        audits.push(ground.audit(pair.replicaAdminUrl));
      } finally {
        await ground.close();
        await proxy.close();
        await pair.stop();
      }
      say(`R22: ${number + 1} of ${dose.promotions} promoted, ${lostCommits} commits lost so far`);
    }
    return resultOf({
      ...{ id: 'R22', dose: { promotions: dose.promotions }, audits },
      atLeast: { acknowledged: dose.promotions * RUNS, lostCommits: dose.promotions },
      details: { lostCommits },
    });
  } finally {
    replicas.remove();
  }
};

/** In the middle of the work: the replica has leases and checkpoints, and will not hear of what comes next. */
async function fallBehind(pair: ReplicaPair, ground: Ground): Promise<void> {
  const blocker = new pg.Client({ connectionString: pair.adminUrl });
  await blocker.connect();
  try {
    await commitsBeyond(ground, 0);
    await blocker.query('begin');
    // Nobody gets further meanwhile, however long it takes.
    await blocker.query('lock table chaos.effects in share mode');
    await pair.caughtUp();
    await pair.stopReplication();
  } finally {
    await blocker.query('rollback');
    await blocker.end();
  }
}

async function countParts(ground: Ground): Promise<number> {
  return (await ground.ask<{ parts: number }>('select count(*)::int as parts from chaos.effects'))[0]?.parts ?? 0;
}

/** Waits until a few more were committed; how many there are then. */
async function commitsBeyond(ground: Ground, before: number): Promise<number> {
  const deadline = Date.now() + PATIENCE_MS + patienceMs;
  for (;;) {
    const parts = await countParts(ground);
    if (parts >= before + ENOUGH || Date.now() > deadline) return parts;
    await pause(25);
  }
}
