// How far a run is, how far it was when, and what the adaptive controller chose on the way.
import type { Queryable } from '../../platform/database.ts';
import { progressOf } from '../sql/progress.ts';

export interface ProgressRow {
  readonly attempt: number;
  readonly stage: string;
  readonly done: number;
  readonly total: number | null;
  readonly unit: string | null;
  readonly note: string | null;
  readonly updated_at: Date;
}

export async function readProgress(db: Queryable, tenantId: string, runId: string): Promise<ProgressRow | undefined> {
  const { rows } = await db.query<ProgressRow>({
    name: 'reads-progress',
    text: `
      select attempt, stage, done, total, unit, note, updated_at
      from (${progressOf('$2', '$1')}) g
      where stage is not null`,
    values: [tenantId, runId],
  });
  return rows[0];
}

export interface DecisionRow {
  readonly decided_at: Date;
  readonly stage: string;
  readonly size_name: string;
  readonly from_size: number;
  readonly to_size: number;
  readonly reason: string;
}

/** The newest ones, oldest first. */
export async function readDecisions(
  db: Queryable,
  tenantId: string,
  runId: string,
  limit: number,
): Promise<DecisionRow[]> {
  const { rows } = await db.query<DecisionRow>({
    name: 'reads-decisions',
    text: `
      select decided_at, stage, size_name, from_size, to_size, reason
      from engine.decisions
      where run_id = $2 and tenant_id = $1
      order by decided_at desc
      limit $3`,
    values: [tenantId, runId, limit],
  });
  return rows.reverse();
}

export interface SampleRow {
  readonly sampled_at: Date;
  readonly attempt: number;
  readonly stage: string;
  readonly done: number;
  readonly unit: string | null;
}

/** The newest ones, oldest first. */
export async function readSamples(db: Queryable, tenantId: string, runId: string, limit: number): Promise<SampleRow[]> {
  const { rows } = await db.query<SampleRow>({
    name: 'reads-progress-samples',
    text: `
      select sampled_at, attempt, stage, done, unit
      from engine.progress_samples
      where run_id = $2 and tenant_id = $1
      order by sampled_at desc
      limit $3`,
    values: [tenantId, runId, limit],
  });
  return rows.reverse();
}
