// What a step of the model test works with: the model, the real engine, and what the processes that use the engine believe.
import { MillraceError } from '../../../src/contract/errors/millrace-error.ts';
import type { Claimer } from '../../../src/engine/claimer.ts';
import { CommitCounts } from '../../../src/engine/commit-counts.ts';
import type { ClaimedRow } from '../../../src/engine/sql/claim-runs.ts';
import type { StageRun } from '../../../src/engine/stage-context.ts';
import { stageRunOf } from '../../../src/engine/stage-run.ts';
import { translateDatabaseError } from '../../../src/platform/database-errors.ts';
import { stageOf } from './machine.ts';
import type { Model, ModelRun, ModelWorker } from './model.ts';
import type { World } from './world.ts';

/** Three numbers, 0 ≤ n < 1. */
export type Draw = readonly [number, number, number];

export interface Scene {
  model: Model;
  readonly world: World;
  readonly tenants: readonly string[];
  readonly claimers: Map<string, Claimer>;
  /** Attempts as they were claimed, also those that have since lost their run. */
  readonly claimed: ClaimedRow[];
  /** Those of them that a process believes to hold. */
  readonly held: Set<ClaimedRow>;
  /** What each of them knows of its commits. */
  readonly counts: Map<ClaimedRow, CommitCounts>;
  /** The state of a replica that lags behind, until it is promoted. */
  replica: Model | undefined;
  /** How often what is worth a step really came about. */
  readonly happened: Record<string, number>;
}

/** Undefined, or what the engine did that the model does not allow. */
export type Act = (scene: Scene, draw: Draw) => Promise<string | undefined>;

export function note({ happened }: Scene, what: string): void {
  happened[what] = (happened[what] ?? 0) + 1;
}

/** A process that claims a run again has forgotten its former attempt, which may go on committing all the same. */
export function noteClaimed(scene: Scene, rows: readonly ClaimedRow[]): void {
  for (const row of rows) {
    for (const held of scene.held) if (held.id === row.id && held.worker_id === row.worker_id) scene.held.delete(held);
    scene.claimed.push(row);
    scene.held.add(row);
  }
}

export function runOf(row: ClaimedRow): StageRun {
  return stageRunOf(row, stageOf(row.status as ModelRun['status']), false);
}

export function countsOf(scene: Scene, row: ClaimedRow): CommitCounts {
  const known = scene.counts.get(row) ?? new CommitCounts(runOf(row));
  scene.counts.set(row, known);
  return known;
}

/** The commits that the attempt believes in, for its end. */
export function believed({ counts }: Scene, row: ClaimedRow): string | null {
  return counts.get(row)?.expected() ?? null;
}

/** Whether the database has the commits that the attempt believes in. */
export function hasItsCommits(scene: Scene, row: ClaimedRow, run: ModelRun): boolean {
  const known = believed(scene, row);
  const there = run.checkpoints[stageOf(run.status)]?.commits;
  return known === null || (JSON.parse(known) as Record<string, number>)[''] === there;
}

/** A worker for which `isWanted` holds, as often as there is one; else any. */
export function pickWorker(
  { model }: Scene,
  share: number,
  isWanted: (worker: ModelWorker) => boolean,
): ModelWorker | undefined {
  const wanted = model.workers.filter(isWanted);
  return pick(wanted.length > 0 ? wanted : model.workers, share);
}

/** Likewise an attempt. One in four is any, so that those that have lost their run have their say. */
export function pickRow(
  { claimed }: Scene,
  share: number,
  isWanted: (row: ClaimedRow) => boolean,
): ClaimedRow | undefined {
  const wanted = claimed.filter(isWanted);
  return wanted.length > 0 && share * 4 - Math.floor(share * 4) < 0.75 ? pick(wanted, share) : pick(claimed, share);
}

export function pick<T>(values: readonly T[], share: number): T | undefined {
  return values[Math.floor(share * values.length)];
}

export function difference(found: unknown, wanted: unknown): string | undefined {
  const [is, should] = [JSON.stringify(found), JSON.stringify(wanted)];
  return is === should ? undefined : `answered ${is}, should be ${should}`;
}

export async function codeOf(action: Promise<unknown>): Promise<string> {
  return action.then(
    (answer) => (typeof answer === 'string' ? answer : 'ok'),
    (thrown: unknown) => {
      const error = translateDatabaseError(thrown);
      if (error instanceof MillraceError) return error.code;
      throw error;
    },
  );
}
