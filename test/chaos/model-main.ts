// The model test as a program: a server of its own, as many steps as asked for.

import pg from 'pg';
import { createEnginePools } from '../../src/engine/engine-pools.ts';
import { silentLog } from '../../src/platform/log.ts';
import { enginePoolUrls } from '../support/pgbouncer.ts';
import { openChaosServer } from './ground.ts';
import { type ModelResult, runModel } from './model/run.ts';
import { World } from './model/world.ts';

export async function runModelChaos(options: {
  readonly seed: number;
  readonly steps: number;
  readonly say: (line: string) => void;
}): Promise<ModelResult> {
  const server = await openChaosServer();
  const ground = await server.ground({});
  // Here the logic is on trial, not the disk.
  await ground.ask(
    `do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$`,
  );
  const admin = new pg.Pool({ connectionString: ground.adminUrl, max: 2 });
  const pools = createEnginePools({
    ...enginePoolUrls(ground.appUrl),
    controlSize: 4,
    effectsSize: 1,
    connectTimeoutMs: 10_000,
    leaseMs: 600_000,
    log: silentLog,
  });
  try {
    return await runModel(await World.open(pools.control, admin), options);
  } finally {
    await pools.close();
    await admin.end();
    await ground.close();
    await server.close();
  }
}
