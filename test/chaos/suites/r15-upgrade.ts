// R15, upgrade: the database is migrated while runs flow, and processes of the old and of the new version work side by side until
// the old ones are drained. The new version has a stage that the old one does not know.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate, migrationsFolder } from '../../../src/platform/migrate.ts';
import type { Audit } from '../auditor.ts';
import { type ChaosProcess, type Feeder, type Ground, patienceMs } from '../ground.ts';
import { resultOf, type Suite } from './suite.ts';

// Touches what is hottest: a column and a constraint of the ledger, an index of the queue's history.
const nextMigration = `
  alter table engine.runs add column remark text;
  alter table engine.runs add constraint remark_is_short check (length(remark) < 1000) not valid;
  create index attempts_by_worker on engine.attempts (worker_id);`;

export const upgradeUnderLoad: Suite = async ({ server, random, dose, leaseMs, heartbeatMs, say }) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-migrations-'));
  cpSync(migrationsFolder, folder, { recursive: true });
  writeFileSync(path.join(folder, '9000_next_version.sql'), nextMigration);
  const audits: Audit[] = [];
  const own: string[] = [];
  try {
    for (let number = 0; number < dose.upgrades; number += 1) {
      const ground = await server.ground({ leaseMs, heartbeatMs, pollMs: 50, concurrency: 4, drainMs: 1_500 });
      try {
        const old = [ground.worker({ consume: true }), ground.worker({ consume: true })];
        await Promise.all(old.map((worker) => worker.until('ready')));
        const feeder = ground.feeder({ count: 150, seed: random.seed + number, batch: 5, everyMs: 40, stepMs: 10 });
        await pause(random.between(50, 300));
        await migrate({ url: ground.adminUrl, appLogin: 'millrace', folder });
        const young = Array.from({ length: 2 }, () => ground.worker({ consume: true, generation: 2 }));
        await Promise.all(young.map((worker) => worker.until('ready')));
        await untilBothWork(ground, feeder, random.seed + number);
        own.push(...(await drain(old)));
        await feeder.exited;
        // One more handful for the new version alone.
        await ground.feeder({ count: 10, seed: random.seed + number + 1_000, stepMs: 0 }).exited;
        await ground.settle();
        const audit = ground.audit();
        audits.push(audit);
        if (audit.lostAttempts > 0) own.push(`${audit.lostAttempts} runs were declared lost`);
        own.push(...(await askVersions(ground)));
      } finally {
        await ground.close();
      }
      if (number % 5 === 4) say(`R15-upgrade: ${number + 1} of ${dose.upgrades} upgrades`);
    }
    return resultOf({
      ...{ id: 'R15-upgrade', dose: { upgrades: dose.upgrades }, audits, own },
      atLeast: { acknowledged: dose.upgrades * 160 },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const MOST_MORE = 20;
const endedByVersion = `
  select w.version, count(*)::int as ended, count(*) filter (where a.stage = 'check' and a.outcome = 'pass')::int as checks
  from engine.attempts a join engine.workers w on w.worker_id = a.worker_id
  where a.ended_at > (select applied_at from millrace.migrations where name like '9000%')
  group by 1 order by 1`;

interface VersionRow {
  readonly version: string;
  readonly ended: number;
  readonly checks: number;
}

/** Until both versions have ended work after the migration; where it took so long that nothing is left to do, more is submitted. */
async function untilBothWork(ground: Ground, feeder: Feeder, seed: number): Promise<void> {
  for (let more = 1; feeder.isAlive() || more < MOST_MORE; ) {
    if (!feeder.isAlive()) {
      await ground.feeder({ count: 30, seed: seed + 2_000 + more, batch: 5, everyMs: 40, stepMs: 10 }).exited;
      more += 1;
    }
    const rows = await ground.ask<VersionRow>(endedByVersion);
    if (rows.length === 2 && rows.every(({ ended }) => ended > 10)) return;
    await pause(50);
  }
}

async function drain(workers: readonly ChaosProcess[]): Promise<string[]> {
  for (const worker of workers) worker.signal('SIGTERM');
  const ends = await Promise.all(
    workers.map((worker) => Promise.race([worker.exited, pause(15_000 + patienceMs, 'too late')])),
  );
  return ends.filter((end) => end !== 0).map((end) => `an old worker ended with ${end}`);
}

async function askVersions(ground: Ground): Promise<string[]> {
  const [old, young] = await ground.ask<VersionRow>(endedByVersion);
  if (!old || !young) return ['only one version worked after the migration'];
  return [
    ...(old.checks > 0 ? ['the old version worked at a stage it does not know'] : []),
    ...(young.checks === 0 ? ['the new stage was never worked at'] : []),
  ];
}
