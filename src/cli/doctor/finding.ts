// What the doctor says of one thing.
import type { Config } from '../../platform/config.ts';
import type { Queryable } from '../../platform/database.ts';

export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do; only where something is to be done. */
  readonly fix?: string;
}

/** One question that a pipeline adds to the examination. */
export interface DoctorCheck {
  readonly name: string;
  /** Runs as millrace_engine; changes nothing. `config`: of the installation that is examined. */
  ask(db: Queryable, config: Config): Promise<Finding>;
}
