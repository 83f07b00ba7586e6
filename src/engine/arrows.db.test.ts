// Every arrow of every machine is taken through the engine's own statements, from a fresh run along a way that the machine
// itself offers, and what was taken is recorded by the database. An arrow that nothing can take fails here; one that no
// test of a pipeline takes fails the suite as a whole.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { tallyMachine } from '../../test/chaos/tally.ts';
import { forgetMoves, readMoves } from '../../test/support/arrows-taken.ts';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, newTenant } from '../../test/support/engine.ts';
import { machines } from '../contract/pipelines/all.ts';
import type { Machine } from '../contract/states/machine.ts';
import { withTransaction } from '../platform/database.ts';
import { uuidv7 } from '../platform/ids.ts';
import { Claimer } from './claimer.ts';
import { plainEnd } from './failure.ts';
import { arrowsOf } from './machines.ts';
import { definePipeline } from './pipeline.ts';
import { endAttempts } from './sql/end-attempts.ts';
import { registerWorker } from './sql/workers.ts';

interface Arrow {
  readonly from: string;
  readonly event: string;
  readonly to: string;
}

const database = useDatabase();
const all: readonly Machine[] = [...machines, tallyMachine];
let engine: Awaited<ReturnType<typeof buildEngine>>;
let workerId: string;

beforeAll(async () => {
  engine = await buildEngine(
    database.appUrl,
    all.map((machine) =>
      definePipeline({
        machine,
        input: z.record(z.string(), z.unknown()),
        stages: Object.fromEntries(
          Object.values(machine.states).map((state) => [state.stage ?? '', async () => 'complete']),
        ),
      }),
    ),
  );
  workerId = uuidv7();
  const worker = { workerId, name: 'w', pid: 1, host: 'h', version: 'v', pipelines: [], concurrency: 1 };
  await registerWorker(engine.pools.control, worker, 600_000);
});

afterAll(async () => {
  await forgetMoves(database.admin);
  await engine.close();
});

/** The shortest way from the first state to `to`. */
function wayTo(machine: Machine, to: string): readonly Arrow[] {
  const ways = new Map<string, readonly Arrow[]>([[machine.initial, []]]);
  const arrows = arrowsOf(machine);
  for (let before = 0; before < ways.size; ) {
    before = ways.size;
    for (const arrow of arrows) {
      const way = ways.get(arrow.from);
      if (way && !ways.has(arrow.to)) ways.set(arrow.to, [...way, arrow]);
    }
  }
  return ways.get(to) ?? [];
}

/** How many runs the engine moved: one, or the arrow cannot be taken. */
async function take(machine: Machine, tenantId: string, id: string, arrow: Arrow): Promise<number> {
  const { control } = engine.pools;
  if (arrow.event === 'claim') {
    // A retry that was planned is hurried first.
    await engine.resume({ tenantId, by: 'tester' }, id).catch(() => {});
    return (await new Claimer(control, engine.registry).claimById(workerId, id)).length;
  }
  if (machine.states[arrow.from]?.phase === 'waiting') {
    // Only a claim or a cancel moves a waiting run.
    if (arrow.event !== 'fail' && arrow.event !== 'cancel') return 0;
    return (await engine.cancel({ tenantId, by: 'tester' }, id)) === 'cancelled' ? 1 : 0;
  }
  const run = await engine.run(tenantId, id);
  const toPhase = machine.states[arrow.to]?.phase;
  const end = {
    ...plainEnd(
      { id, part: '', attempt: run.attempt, workerId, pipeline: run.pipeline, status: run.status },
      arrow.event,
      arrow.event,
    ),
    receipt: toPhase === 'done' ? '{"read": 1, "outcomes": {"inserted": 1}}' : null,
    errorCode: toPhase === 'failed' || toPhase === 'dead' ? 'stage_failed' : null,
  };
  return (await withTransaction(control, (tx) => endAttempts(tx, [end]))).length;
}

describe.each(all.map((machine) => [machine.pipeline, machine] as const))('the machine of %s', (name, machine) => {
  it('can take every arrow it declares', async () => {
    for (const arrow of arrowsOf(machine)) {
      const tenantId = newTenant();
      const { id } = await engine.enqueue({ pipeline: name, tenantId, input: {} });
      for (const step of [...wayTo(machine, arrow.from), arrow])
        expect(await take(machine, tenantId, id, step)).toBe(1);
      expect((await engine.run(tenantId, id)).status).toBe(arrow.to);
    }
    const moves = (await readMoves(database.admin)).filter((move) => move.pipeline === name);
    const declared = new Set(arrowsOf(machine).map((arrow) => `${arrow.from} to ${arrow.to}`));
    expect(moves.map((move) => `${move.from_status} to ${move.to_status}`).sort()).toEqual([...declared].sort());
  });
});
