// Many paused lanes: a look passes a bounded number of them and the next one goes on behind, so that each takes its moment and none is missed.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { uuidv7 } from '../platform/ids.ts';
import { Claimer } from './claimer.ts';
import { registerWorker } from './sql/workers.ts';

const database = useDatabase();
const LANES = 2_500;
const work = async () => 'complete';
const pipelines = {
  plain: buildPipeline('plain', work),
  other: buildPipeline('other', work),
  capped: buildPipeline('capped', work, { laneCap: 3 }),
};
type Name = keyof typeof pipelines;
let engine: Awaited<ReturnType<typeof buildEngine>>;
let workerId: string;
let tenants: string[];

beforeEach(async () => {
  // Nobody looks by himself in the time of a test.
  engine = await buildEngine(database.appUrl, Object.values(pipelines), { settings: { pollMs: 3_600_000 } });
  workerId = uuidv7();
  const worker = { workerId, name: 'w', pid: 1, host: 'h', version: 'v', pipelines: ['plain'], concurrency: 1 };
  await registerWorker(engine.pools.control, worker, 600_000);
  tenants = Array.from({ length: LANES }, newTenant).sort();
});
afterEach(async () => {
  await engine.close();
  await database.admin.query('truncate engine.runs, engine.ready, engine.leases, engine.pauses, engine.workers');
});

const fill = (pipeline: Name, of: readonly string[]) =>
  engine.enqueueMany(of.map((tenantId) => ({ pipeline, tenantId, input: {} })));
const pause = (pipeline: Name, lanes: readonly string[]) =>
  database.admin.query(
    `insert into engine.pauses (pipeline, lane, paused_by) select $1, unnest($2::text[]), 'a test'`,
    [pipeline, lanes],
  );
const claimerOf = (...names: readonly Name[]) =>
  new Claimer(engine.pools.control, new Map(names.map((name) => [name, pipelines[name]])));

/** Claims until a look has seen all lanes or taken something. */
async function lookRound(claimer: Claimer) {
  for (let looks = 1; looks < 50; looks += 1) {
    const rows = await claimer.claim(workerId, 10);
    if (rows.length > 0 || !claimer.isHalfway) return { looks, tenants: rows.map((row) => row.tenant_id) };
  }
  throw new Error('it never comes round');
}

describe.each(['plain', 'capped'] as const)('with thousands of paused lanes, a %s pipeline', (name) => {
  it('is looked round in several short looks, and then nothing is left to look at', async () => {
    await fill(name, tenants);
    await pause(name, tenants);
    const claimer = claimerOf(name);
    for (let round = 0; round < 3; round += 1) {
      const { looks, tenants: taken } = await lookRound(claimer);
      expect(taken).toEqual([]);
      expect(looks).toBeGreaterThan(2);
      expect(looks).toBeLessThan(12);
    }
  });

  it('has each open lane found, wherever it stands', async () => {
    await fill(name, tenants);
    // The last one is found in the middle of a look round: what is left of it ends in the lanes where it began.
    const open = [1, 1_250, 2_000].map((at) => tenants[at] ?? '');
    const others = tenants.filter((tenant) => !open.includes(tenant));
    await pause(name, others);
    const claimer = claimerOf(name);
    const taken: string[] = [];
    while (taken.length < open.length) {
      const found = await lookRound(claimer);
      expect(found.tenants).not.toEqual([]);
      taken.push(...found.tenants);
    }
    expect(taken.sort()).toEqual(open);
    expect((await lookRound(claimer)).tenants).toEqual([]);
  });
});

describe('paused lanes of one pipeline', () => {
  it('do not keep its open lane from being found while another pipeline has work all the time', async () => {
    const [open = '', ...paused] = tenants;
    await fill('plain', tenants);
    await pause('plain', paused);
    await fill(
      'other',
      Array.from({ length: 100 }, () => open),
    );
    const claimer = claimerOf('plain', 'other');
    const taken: string[] = [];
    for (let looks = 0; looks < 8; looks += 1)
      taken.push(...(await claimer.claim(workerId, 10)).map((row) => row.pipeline));
    expect(taken).toContain('plain');
  });

  it('do not keep a worker from its open lane until it polls', async () => {
    const [open = '', ...paused] = tenants;
    await fill('plain', paused);
    await pause('plain', paused);
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'plain', tenantId: open, input: {} });
    const ended = async () => ((await engine.run(open, id)).finished_at === null ? undefined : engine.run(open, id));
    expect(await waitFor(ended, { what: 'the run to end' })).toMatchObject({
      status: 'completed',
      attempt: 1,
    });
  });
});
