import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allSteps } from '../../test/chaos/model/all-steps.ts';
import { missing, runModel } from '../../test/chaos/model/run.ts';
import { World } from '../../test/chaos/model/world.ts';
import { useDatabase } from '../../test/support/database.ts';
import { enginePoolUrls } from '../../test/support/pgbouncer.ts';
import { silentLog } from '../platform/log.ts';
import { createEnginePools, type EnginePools } from './engine-pools.ts';

const database = useDatabase();
let pools: EnginePools;
let world: World;

beforeAll(async () => {
  await database.admin.query(`alter database ${database.name} set synchronous_commit = off`);
  pools = createEnginePools({
    ...enginePoolUrls(database.appUrl),
    controlSize: 4,
    effectsSize: 1,
    connectTimeoutMs: 5_000,
    leaseMs: 60_000,
    log: silentLog,
  });
  world = await World.open(pools.control, database.admin);
});

afterAll(async () => {
  await pools.close();
});

describe('the engine', () => {
  it.each([1, 20_261_115])(
    'does what the model says, step by step (seed %i)',
    async (seed) => {
      const result = await runModel(world, { seed, steps: 1_200 });
      expect(result.divergence).toBeUndefined();
      // Every kind of step was among them, and those that need luck had it.
      expect(Object.keys(result.taken).sort()).toEqual(Object.keys(allSteps).sort());
      expect(missing(result)).toEqual([]);
    },
    120_000,
  );
});
