// Progress of the runs under way, coalesced: one statement for all runs of a worker. Each part of a shared run has a row of its own.
import type { Queryable } from '../../platform/database.ts';

export interface ProgressRow {
  readonly runId: string;
  readonly part: string;
  readonly tenantId: string;
  readonly attempt: number;
  readonly stage: string;
  readonly done: number;
  readonly total: number | null;
  readonly unit: string | null;
  readonly note: string | null;
}

/** An older attempt never overwrites the progress of a newer one. */
export async function writeProgress(db: Queryable, rows: readonly ProgressRow[]): Promise<void> {
  await db.query({
    name: 'engine-write-progress',
    text: `
      insert into engine.progress (run_id, tenant_id, attempt, stage, done, total, unit, note, part)
      select * from unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::text[], $9::text[])
      on conflict (run_id, part) do update
      set attempt = excluded.attempt, stage = excluded.stage, done = excluded.done, total = excluded.total,
          unit = excluded.unit, note = excluded.note, updated_at = engine.now()
      where engine.progress.attempt <= excluded.attempt`,
    values: [
      rows.map((row) => row.runId),
      rows.map((row) => row.tenantId),
      rows.map((row) => row.attempt),
      rows.map((row) => row.stage),
      rows.map((row) => row.done),
      rows.map((row) => row.total),
      rows.map((row) => row.unit),
      rows.map((row) => row.note),
      rows.map((row) => row.part),
    ],
  });
}

/**
 * What a run's parts have said of the stage that the newest of them is in, added up; the total only when all of them named one. `run`: the run's id,
 * `tenant`: its tenant's. One row, without a stage when nobody has said anything.
 */
export const progressOf = (run: string, tenant: string) => `
  select max(p.attempt) as attempt, max(p.stage) as stage, sum(p.done)::bigint as done,
         case when count(p.total) = count(*) then sum(p.total)::bigint end as total, max(p.unit) as unit,
         (array_agg(p.note order by p.updated_at desc))[1] as note, max(p.updated_at) as updated_at
  from engine.progress p
  where p.run_id = ${run} and p.tenant_id = ${tenant}
    and p.stage = (select n.stage from engine.progress n where n.run_id = ${run} and n.tenant_id = ${tenant} order by n.attempt desc limit 1)`;

/** Signs of progress that are kept, so that the speed of a run can still be drawn when it is over. */
export async function insertSamples(db: Queryable, rows: readonly ProgressRow[]): Promise<void> {
  await db.query({
    name: 'engine-insert-progress-samples',
    text: `
      insert into engine.progress_samples (run_id, tenant_id, attempt, stage, done, unit)
      select * from unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::bigint[], $6::text[])`,
    values: [
      rows.map((row) => row.runId),
      rows.map((row) => row.tenantId),
      rows.map((row) => row.attempt),
      rows.map((row) => row.stage),
      rows.map((row) => row.done),
      rows.map((row) => row.unit),
    ],
  });
}

export interface DecisionRow {
  readonly runId: string;
  readonly tenantId: string;
  readonly stage: string;
  readonly sizeName: string;
  readonly fromSize: number;
  readonly toSize: number;
  readonly reason: string;
}

export async function insertDecisions(db: Queryable, rows: readonly DecisionRow[]): Promise<void> {
  await db.query({
    name: 'engine-insert-decisions',
    text: `
      insert into engine.decisions (run_id, tenant_id, stage, size_name, from_size, to_size, reason)
      select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::int[], $6::int[], $7::text[])`,
    values: [
      rows.map((row) => row.runId),
      rows.map((row) => row.tenantId),
      rows.map((row) => row.stage),
      rows.map((row) => row.sizeName),
      rows.map((row) => row.fromSize),
      rows.map((row) => row.toSize),
      rows.map((row) => row.reason),
    ],
  });
}
