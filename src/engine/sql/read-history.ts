// What happened to one run: its executions, its events in the order of the outbox, how far it is now.
import type { Queryable } from '../../platform/database.ts';
import { arrayLiteral } from './array-literal.ts';
import type { AttemptEnd } from './end-attempts.ts';
import { progressOf } from './progress.ts';

export interface AttemptRow {
  readonly attempt: number;
  readonly stage: string;
  readonly worker: string | null;
  /** Null while it runs. */
  readonly outcome: string | null;
  readonly queued_at: Date;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly error_kind: string | null;
  readonly error_code: string | null;
  readonly error_text: string | null;
}

/** Oldest first; the one under way, if any, comes last. */
export async function readAttempts(db: Queryable, tenantId: string, runId: string): Promise<AttemptRow[]> {
  const { rows } = await db.query<AttemptRow>({
    name: 'engine-read-attempts',
    text: `
      select a.attempt, a.stage, w.name as worker, a.outcome, a.queued_at, a.started_at, a.ended_at, a.error_kind,
             a.error_code, a.error_text
      from engine.all_attempts a
      left join engine.workers w on w.worker_id = a.worker_id
      where a.run_id = $2 and a.tenant_id = $1
      union all
      select l.attempt, l.stage, w.name, null, l.queued_at, l.claimed_at, null, null, null, null
      from engine.leases l
      left join engine.workers w on w.worker_id = l.worker_id
      where l.run_id = $2 and l.tenant_id = $1
      order by attempt`,
    values: [tenantId, runId],
  });
  return rows;
}

/** Of these ends, those that stand in the history, as `run/attempt`. An attempt that somebody else ended stands there with another outcome. */
export async function endsInHistory(
  db: Queryable,
  ends: readonly Pick<AttemptEnd, 'runId' | 'attempt' | 'outcome'>[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ run_id: string; attempt: number }>({
    name: 'engine-ends-in-history',
    text: `
      select a.run_id, a.attempt
      from unnest($1::uuid[], $2::int[], $3::text[]) as e (run_id, attempt, outcome)
      join engine.attempts a on a.run_id = e.run_id and a.attempt = e.attempt and a.outcome = e.outcome`,
    values: [
      arrayLiteral(ends, (end) => end.runId),
      arrayLiteral(ends, (end) => end.attempt),
      arrayLiteral(ends, (end) => end.outcome),
    ],
  });
  return new Set(rows.map((row) => `${row.run_id}/${row.attempt}`));
}

export interface RunEventRow {
  readonly position: number;
  readonly type: string;
  readonly key: string;
  readonly data: Record<string, unknown>;
  readonly created_at: Date;
}

/** Events that have their position, after the given one. */
export async function readRunEvents(
  db: Queryable,
  tenantId: string,
  runId: string,
  afterPosition = 0,
): Promise<RunEventRow[]> {
  const { rows } = await db.query<RunEventRow>({
    name: 'engine-read-run-events',
    text: `
      select e.position, e.type, e.key, e.data, e.created_at
      from engine.all_events e
      where e.run_id = $2 and e.tenant_id = $1 and e.position > $3
      order by e.position`,
    values: [tenantId, runId, afterPosition],
  });
  return rows;
}

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
    name: 'engine-read-progress',
    text: `
      select attempt, stage, done, total, unit, note, updated_at
      from (${progressOf('$2', '$1')}) g
      where stage is not null`,
    values: [tenantId, runId],
  });
  return rows[0];
}
