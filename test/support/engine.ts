// An engine on a test database, with small timings, and the pipelines the engine's own tests use.
import { z } from 'zod';
import { machine } from '../../src/contract/states/machine.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { createEnginePools } from '../../src/engine/engine-pools.ts';
import { type AnyPipeline, definePipeline, type PipelineOptions } from '../../src/engine/pipeline.ts';
import { pumpEvents } from '../../src/engine/services/outbox-pump.ts';
import type { EngineSettings } from '../../src/engine/settings.ts';
import type { Queryable } from '../../src/platform/database.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { type Log, silentLog } from '../../src/platform/log.ts';
import { enginePoolUrls } from './pgbouncer.ts';
import { waitFor } from './wait-for.ts';

export const smallTimings: Partial<EngineSettings> = {
  leaseMs: 3_000,
  heartbeatMs: 1_000,
  pollMs: 50,
  drainMs: 2_000,
};

/** Of benches in which nobody is lost but who is killed: a machine that leaves their process aside for seconds takes no run away from it. */
export const LONG_LEASE: Partial<EngineSettings> = { leaseMs: 20_000 };

export interface EngineOptionsForTest {
  readonly settings?: Partial<EngineSettings>;
  readonly log?: Log;
  readonly controlSize?: number;
}

/** Registered, not started. `close` stops it and ends its connections. */
export async function buildEngine(
  url: string,
  pipelines: readonly AnyPipeline[],
  options: EngineOptionsForTest = {},
): Promise<Engine & { close(): Promise<void> }> {
  const settings = { ...smallTimings, ...options.settings };
  const log = options.log ?? silentLog;
  const pools = createEnginePools({
    ...enginePoolUrls(url),
    controlSize: options.controlSize ?? 6,
    effectsSize: 6,
    connectTimeoutMs: 60_000,
    leaseMs: settings.leaseMs ?? 3_000,
    log,
  });
  const engine = createEngine({ pools, pipelines, settings, log, version: 'test' });
  await engine.register();
  return {
    ...engine,
    async close() {
      await engine.stop();
      await pools.close();
    },
  };
}

export function oneStageMachine(name: string) {
  return machine(name, {
    queued: { phase: 'waiting', stage: 'work', on: { claim: 'working', fail: 'failed' } },
    working: {
      phase: 'active',
      stage: 'work',
      on: { complete: 'completed', part: 'partial', fail: 'failed', dead: 'dead_letter', release: 'queued' },
    },
    completed: { phase: 'done' },
    partial: { phase: 'done' },
    failed: { phase: 'failed' },
    dead_letter: { phase: 'dead' },
  });
}

/** A pipeline of one stage. */
export function buildPipeline(
  name: string,
  work: Parameters<typeof definePipeline<Record<string, unknown>>>[0]['stages'][string],
  options: Partial<PipelineOptions<Record<string, unknown>>> = {},
) {
  return definePipeline({
    machine: oneStageMachine(name),
    input: z.record(z.string(), z.unknown()),
    stages: { work },
    ...options,
  });
}

export function newTenant(): string {
  return uuidv7();
}

/** The run, once it has ended. */
export function endOfRun(engine: Pick<Engine, 'run'>, tenantId: string, runId: string) {
  return waitFor(
    async () => {
      const run = await engine.run(tenantId, runId);
      return run.finished_at === null ? undefined : run;
    },
    { what: `run ${runId} to end` },
  );
}

/** A worker works until nothing is left in the queue; then the outbox is pumped empty. */
export async function workUntilIdle(engine: Engine, admin: Queryable): Promise<void> {
  await engine.start({ worker: true, services: false });
  const isIdle = `select not exists (select from engine.ready) and not exists (select from engine.leases) as idle`;
  await waitFor(async () => (await admin.query<{ idle: boolean }>(isIdle)).rows[0]?.idle || undefined, {
    what: 'all runs to end',
  });
  await engine.stop();
  while ((await pumpEvents(engine.pools.control)) !== 0);
}
