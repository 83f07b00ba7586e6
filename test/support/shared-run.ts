// A pipeline whose one stage is worked in four parts, each of which stores three pieces, for tests of shared runs.
import { z } from 'zod';
import { definePipeline, type PipelineOptions, type SharedStage } from '../../src/engine/pipeline.ts';
import type { StageContext } from '../../src/engine/stage-context.ts';
import { oneStageMachine } from './engine.ts';

export const PARTS = 4;
export const PIECES = 3;

export type Input = Record<string, unknown>;
export type Shared = SharedStage<Input>;

export const makePieces = `
  create schema x; grant usage on schema x to millrace_app;
  create table x.pieces (run_id uuid, part int, piece int); grant insert, select on x.pieces to millrace_app`;

/** Stores the pieces of its part, from its checkpoint on. */
export async function storePieces(
  { run, part, checkpoint, commit }: StageContext<Input>,
  before?: (piece: number) => Promise<void>,
): Promise<void> {
  const from = (await checkpoint<{ next: number }>())?.next ?? 0;
  for (let piece = from; piece < PIECES; piece += 1) {
    await before?.(piece);
    await commit((tx) => tx.query('insert into x.pieces values ($1, $2, $3)', [run.id, part.index, piece]), {
      checkpoint: { next: piece + 1 },
    });
  }
}

const conclude: Shared['conclude'] = async ({ run, commit }) => {
  const { rows } = await commit((tx) =>
    tx.query('select count(*)::int as n from x.pieces where run_id = $1', [run.id]),
  );
  return { on: 'complete', receipt: { read: rows[0].n, outcomes: { stored: rows[0].n } } };
};

export function sharedPipeline(name: string, stage: Partial<Shared>, options: Partial<PipelineOptions<Input>> = {}) {
  return definePipeline<Input>({
    machine: oneStageMachine(name),
    input: z.record(z.string(), z.unknown()),
    stages: { work: { parts: PARTS, work: (context) => storePieces(context), conclude, ...stage } },
    ...options,
  });
}

export function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

/** Waits for a gate as a well-behaved stage does: it leaves when it is asked to stop. */
export function waitInside(opened: Promise<void>, signal: AbortSignal): Promise<void> {
  const stopped = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  stopped.catch(() => {});
  return Promise.race([opened, stopped]);
}
