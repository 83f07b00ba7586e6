// The pipelines of the model test: two stages, one without and one with a lane cap. Policies without chance, so that the model
// can say to the millisecond what must happen.
import { z } from 'zod';
import { machine } from '../../../src/contract/states/machine.ts';
import { type AnyPipeline, definePipeline } from '../../../src/engine/pipeline.ts';

export const CAP = 2;
export const LOST_LIMIT = 4;
/** From this many losses on a run is worked on alone. */
export const SOLO_FROM = 3;
export const TRANSIENT_MAX = 2;
export const TRANSIENT_BASE_MS = 1_000;
const RATE_LIMIT_MS = 5_000;
export const LEASE_MS = 10_000;

const states = {
  queued: { phase: 'waiting', stage: 'first', on: { claim: 'working', fail: 'failed' } },
  working: {
    phase: 'active',
    stage: 'first',
    on: { pass: 'passed', fail: 'failed', dead: 'dead_letter', release: 'queued' },
  },
  passed: { phase: 'waiting', stage: 'second', on: { claim: 'ending', fail: 'failed' } },
  ending: {
    phase: 'active',
    stage: 'second',
    on: { complete: 'completed', part: 'partial', fail: 'failed', dead: 'dead_letter', release: 'passed' },
  },
  completed: { phase: 'done' },
  partial: { phase: 'done' },
  failed: { phase: 'failed' },
  dead_letter: { phase: 'dead' },
} as const;

export type Status = keyof typeof states;
export type Phase = 'waiting' | 'active' | 'done' | 'failed' | 'dead';

export function phaseOf(status: Status): Phase {
  return states[status].phase;
}

export function stageOf(status: Status): string {
  const state = states[status];
  return 'stage' in state ? state.stage : '';
}

/** Where an event leads, or undefined. The model's own look-up, from the same table. */
export function after(status: Status, event: string): Status | undefined {
  const state = states[status];
  return 'on' in state ? (state.on as Record<string, Status>)[event] : undefined;
}

export const pipelines: readonly AnyPipeline[] = ['model_plain', 'model_capped'].map((name) =>
  definePipeline({
    machine: machine(name, states as unknown as Parameters<typeof machine>[1]),
    input: z.object({}).loose(),
    lostLimit: LOST_LIMIT,
    retry: {
      transient: {
        max: TRANSIENT_MAX,
        backoff: { baseMs: TRANSIENT_BASE_MS, factor: 2, maxMs: 3_600_000, jitter: 0 },
      },
      rate_limited: {
        max: Number.POSITIVE_INFINITY,
        backoff: { baseMs: RATE_LIMIT_MS, factor: 1, maxMs: RATE_LIMIT_MS, jitter: 0 },
      },
    },
    stages: { first: async () => 'pass', second: async () => 'complete' },
    ...(name === 'model_capped' ? { laneCap: CAP } : {}),
  }),
);
