// The context that a stage receives. The engine makes each part when the stage first uses it: with an object of getters and functions in its place a drain took 13.7
// instead of 11.3 µs of the worker per run (6 % of what a run costs both sides, three drains each, alternated).
import type { Log } from '../platform/log.ts';
import { partsOnDemand } from '../platform/parts-on-demand.ts';
import type { Decision } from './adaptive.ts';
import type { Answer } from './question.ts';
import type { RejectRecord } from './sql/insert-rejects.ts';
import type { CommitOptions, PartPlace, Progress, StageContext, StageRun } from './stage-context.ts';

export interface ContextSource {
  readonly run: StageRun;
  readonly part: PartPlace;
  readonly log: Log;
  readInput(): unknown;
  signal(): AbortSignal;
  readCheckpoint(part: string): Promise<unknown>;
  readAnswers(): Promise<readonly Answer[]>;
  commit<T>(effects: Parameters<StageContext['commit']>[0], options: CommitOptions): Promise<T>;
  noteProgress(progress: Progress): void;
  refuse(record: RejectRecord): void;
  decide(decision: Decision): void;
}

export const createContext = partsOnDemand<StageContext, ContextSource>({
  run: (source) => source.run,
  part: (source) => source.part,
  input: (source) => source.readInput(),
  log: (source) => source.log,
  signal: (source) => source.signal(),
  checkpoint:
    (source) =>
    async <T>(part = '') =>
      (await source.readCheckpoint(part)) as T | undefined,
  answers: (source) => () => source.readAnswers(),
  commit:
    (source) =>
    (effects, options = {}) =>
      source.commit(effects, options),
  progress: (source) => (progress) => source.noteProgress(progress),
  reject: (source) => (record) => source.refuse(record),
  decide: (source) => (decision) => source.decide(decision),
});
