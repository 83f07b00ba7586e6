// The context that a stage is given. Its parts are made when they are asked for: for stages that use few of them, making all took a
// tenth of a worker's time. They are getters, not methods, because stages take their context apart.
import type { Log } from '../platform/log.ts';
import type { Decision } from './adaptive.ts';
import type { RejectRecord } from './sql/insert-rejects.ts';
import type { CommitOptions, Progress, StageContext, StageRun } from './stage-context.ts';

export interface ContextSource {
  readonly run: StageRun;
  readonly log: Log;
  readInput(): unknown;
  signal(): AbortSignal;
  readCheckpoint(part: string): Promise<unknown>;
  commit<T>(effects: Parameters<StageContext['commit']>[0], options: CommitOptions): Promise<T>;
  noteProgress(progress: Progress): void;
  refuse(record: RejectRecord): void;
  decide(decision: Decision): void;
}

export class ExecutionContext implements StageContext<unknown> {
  readonly run: StageRun;
  readonly #source: ContextSource;

  constructor(source: ContextSource) {
    this.run = source.run;
    this.#source = source;
  }

  get input(): unknown {
    return this.#source.readInput();
  }

  get log(): Log {
    return this.#source.log;
  }

  get signal(): AbortSignal {
    return this.#source.signal();
  }

  get checkpoint(): StageContext['checkpoint'] {
    return async <T>(part = '') => (await this.#source.readCheckpoint(part)) as T | undefined;
  }

  get commit(): StageContext['commit'] {
    return (effects, options = {}) => this.#source.commit(effects, options);
  }

  get progress(): StageContext['progress'] {
    return (progress) => this.#source.noteProgress(progress);
  }

  get reject(): StageContext['reject'] {
    return (record) => this.#source.refuse(record);
  }

  get decide(): StageContext['decide'] {
    return (decision) => this.#source.decide(decision);
  }
}
