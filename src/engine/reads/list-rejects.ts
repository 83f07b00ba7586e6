// The refused rows of a run, in the order in which they were refused, which is the order of the file.
import type { Queryable } from '../../platform/database.ts';

export interface RejectRow {
  readonly reject_id: string;
  readonly line: number | null;
  readonly byte_offset: number | null;
  readonly column_name: string | null;
  readonly code: string;
  readonly message: string;
  readonly value: string | null;
  readonly cause: string;
  readonly errors: unknown;
  readonly item: unknown;
  readonly correction: unknown;
  readonly corrected_by: string | null;
  readonly corrected_at: Date | null;
  readonly status: 'open' | 'corrected' | 'replayed' | 'resolved';
  readonly replayed_as: string | null;
}

export interface RejectFilter {
  readonly tenantId: string;
  readonly runId: string;
  readonly after: string;
  readonly cause: string | null;
  readonly codes: readonly string[] | null;
  readonly statuses: readonly string[] | null;
  /** So many are passed over first; none when left out. */
  readonly skip?: number;
  readonly limit: number;
}

const columns = `
  reject_id::text, line, byte_offset, column_name, code, message, value, cause, errors, item, correction, corrected_by,
  corrected_at, status, replayed_as`;

/** What is passed over is counted on the keys alone; only the rows of the page are read. */
export async function listRejects(db: Queryable, filter: RejectFilter): Promise<RejectRow[]> {
  const ofCause = filter.cause === null ? '$4::text is null' : 'cause = $4';
  const { rows } = await db.query<RejectRow>({
    name: filter.cause === null ? 'reads-list-rejects' : 'reads-list-rejects-of-cause',
    text: `
      select ${columns}
      from engine.rejects
      where tenant_id = $1 and run_id = $2 and reject_id >= (
          select f.reject_id from engine.rejects f
          where f.tenant_id = $1 and f.run_id = $2 and f.reject_id > $3
            and ${ofCause}
            and ($5::text[] is null or f.code = any ($5))
            and ($6::text[] is null or f.status = any ($6))
          order by f.reject_id
          offset $8 limit 1
        )
        and ${ofCause}
        and ($5::text[] is null or code = any ($5))
        and ($6::text[] is null or status = any ($6))
      order by rejects.reject_id
      limit $7`,
    values: [
      filter.tenantId,
      filter.runId,
      filter.after,
      filter.cause,
      filter.codes,
      filter.statuses,
      filter.limit,
      filter.skip ?? 0,
    ],
  });
  return rows;
}

/** Locked, so that two people correcting the same row come one after the other. */
export async function lockReject(
  db: Queryable,
  tenantId: string,
  runId: string,
  rejectId: string,
): Promise<RejectRow | undefined> {
  const { rows } = await db.query<RejectRow>({
    name: 'reads-lock-reject',
    text: `
      select ${columns} from engine.rejects
      where tenant_id = $1 and run_id = $2 and reject_id = $3
      for update`,
    values: [tenantId, runId, rejectId],
  });
  return rows[0];
}

export interface RejectCounts {
  readonly open: number;
  readonly corrected: number;
  readonly total: number;
}

export async function countRejects(db: Queryable, tenantId: string, runId: string): Promise<RejectCounts> {
  const { rows } = await db.query<RejectCounts>({
    name: 'reads-count-rejects',
    text: `
      select count(*) filter (where status = 'open')::int as open,
             count(*) filter (where status = 'corrected')::int as corrected,
             count(*)::int as total
      from engine.rejects
      where run_id = $2 and tenant_id = $1`,
    values: [tenantId, runId],
  });
  return rows[0] ?? { open: 0, corrected: 0, total: 0 };
}

export interface OpenRejects {
  readonly run_id: string;
  readonly open: number;
}

/**
 * Of each of these runs. It counts to `most` and no further: a list may show hundreds of runs, and each may have refused a million rows. The
 * condition is that of the index `rejects_open`, word for word.
 */
export async function countOpenRejects(
  db: Queryable,
  tenantId: string,
  runIds: readonly string[],
  most: number,
): Promise<OpenRejects[]> {
  const { rows } = await db.query<OpenRejects>({
    name: 'reads-count-open-rejects',
    text: `
      select g.run_id, (
        select count(*)::int from (
          select from engine.rejects x where x.run_id = g.run_id and x.tenant_id = $1 and nullif(x.status, 'open') is null limit $3
        ) o
      ) as open
      from unnest($2::uuid[]) g (run_id)`,
    values: [tenantId, runIds, most],
  });
  return rows;
}
