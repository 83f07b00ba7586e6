// Deletes the staging of runs that ended some days ago, in bounded transactions, under a role of the pipeline that may delete staging and nothing else.
// It never touches a live run, whatever its age. The pipeline says what its staging is and how to find it.
import { type Pool, type Queryable, withTransaction } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { becomeRole } from '../sql/become-role.ts';
import { keepEndedRuns } from '../sql/keep-ended-runs.ts';
import type { Elected } from './election.ts';
import { createLoop, type Service } from './loop.ts';

const STAGING_DAYS = 7;
const ROWS_PER_TRANSACTION = 10_000;
const RUNS_PER_ROUND = 500;
const DAY_MS = 86_400_000;

export interface Staging {
  readonly pipeline: string;
  /** Database role of every statement below. */
  readonly role: string;
  /** Runs with staging that is older than this, oldest first. */
  readonly listStaged: (tx: Queryable, days: number, limit: number) => Promise<string[]>;
  /**
   * Each deletes about `limit` rows of a run and says how many; fewer means that it is through. In this order: what `listStaged` goes by
   * comes last, so that a cleanup killed in between is taken up again.
   */
  readonly deletions: readonly ((tx: Queryable, runId: string, limit: number) => Promise<number>)[];
}

export interface CleanerOptions {
  /** Runs as millrace_engine. */
  readonly pool: Pool;
  readonly log: Log;
  readonly everyMs?: number;
  readonly election?: Elected;
  readonly days?: number;
  readonly rowsPerTransaction?: number;
}

export function createStagingCleaner(staging: Staging, options: CleanerOptions): Service {
  return createLoop({
    name: `${staging.pipeline} cleanup`,
    everyMs: options.everyMs ?? DAY_MS,
    election: options.election,
    log: options.log,
    tick: async () => {
      const { runs, rows } = await cleanStaging(staging, options);
      if (runs > 0)
        options.log.info({ pipeline: staging.pipeline, runs, rows }, 'staging of runs that ended was removed');
      return runs === RUNS_PER_ROUND ? 0 : undefined;
    },
  });
}

/** One round. */
export async function cleanStaging(
  { role, listStaged, deletions }: Staging,
  { pool, days = STAGING_DAYS, rowsPerTransaction = ROWS_PER_TRANSACTION }: CleanerOptions,
): Promise<{ runs: number; rows: number }> {
  const inRole = <T>(work: (tx: Queryable) => Promise<T>) =>
    withTransaction(pool, async (tx) => {
      await becomeRole(tx, role);
      return work(tx);
    });
  const old = await inRole((tx) => listStaged(tx, days, RUNS_PER_ROUND));
  const ended = old.length === 0 ? [] : await keepEndedRuns(pool, old, days);
  let rows = 0;
  for (const runId of ended) {
    for (const remove of deletions) {
      for (let deleted = rowsPerTransaction; deleted >= rowsPerTransaction; rows += deleted)
        deleted = await inRole((tx) => remove(tx, runId, rowsPerTransaction));
    }
  }
  return { runs: ended.length, rows };
}
