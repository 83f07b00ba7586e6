// One run: its row of the ledger, or everything that is shown of it. Every statement that knows the tenant names it: row-level
// security holds as well, but each layer must hold alone.
import type { Queryable } from '../../platform/database.ts';
import { runOfKey } from '../sql/run-of-key.ts';
import { ledgerColumns, type RunRow, type ShownRun, shownColumns, shownJoins } from './run-columns.ts';

export async function readRun(db: Queryable, tenantId: string, runId: string): Promise<RunRow | undefined> {
  const { rows } = await db.query<RunRow>({
    name: 'reads-run',
    text: `select ${ledgerColumns} from engine.all_runs r where r.id = $2 and r.tenant_id = $1`,
    values: [tenantId, runId],
  });
  return rows[0];
}

/** For the operator's tools, which know no tenant. */
export async function findRun(db: Queryable, runId: string): Promise<RunRow | undefined> {
  const { rows } = await db.query<RunRow>({
    name: 'reads-find-run',
    text: `select ${ledgerColumns} from engine.all_runs r where r.id = $1`,
    values: [runId],
  });
  return rows[0];
}

/** Under the tenant's row-level security. */
export async function readShownRun(db: Queryable, tenantId: string, runId: string): Promise<ShownRun | undefined> {
  const { rows } = await db.query<ShownRun>({
    name: 'reads-shown-run',
    text: `select ${shownColumns} from engine.all_runs r ${shownJoins} where r.tenant_id = $1 and r.id = $2`,
    values: [tenantId, runId],
  });
  return rows[0];
}

/** The newest run that the key leads to: the one that was enqueued with it, or a retry of that. */
export async function readRunByKey(
  db: Queryable,
  {
    tenantId,
    pipeline,
    uniqueKey,
  }: { readonly tenantId: string; readonly pipeline: string; readonly uniqueKey: string },
): Promise<RunRow | undefined> {
  const { rows } = await db.query<RunRow>({
    name: 'reads-run-by-key',
    text: `
      with recursive line (id, step) as (
        select f.run_id, 0 from (${runOfKey('$1', '$2', '$3::text')}) f
        union all
        select x.run_id, step + 1
        from line cross join lateral (select * from engine.all_retries a where a.retry_of = line.id limit 1) x
        where x.tenant_id = $1
      )
      select ${ledgerColumns} from engine.all_runs r
      where r.tenant_id = $1 and r.id = (select id from line order by step desc limit 1)`,
    values: [tenantId, pipeline, uniqueKey],
  });
  return rows[0];
}

export interface RetriedLine {
  /** The first run and the one that does the work now. */
  readonly first: string;
  readonly last: string;
  /** How many there are. */
  readonly runs: number;
}

/** The line of retries that each of these runs stands in; a run that was never retried is a line of its own. */
export async function readLines(
  db: Queryable,
  tenantId: string,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, RetriedLine>> {
  const { rows } = await db.query<RetriedLine & { id: string }>({
    name: 'reads-retried-lines',
    text: `
      select given.id, back.id as first, ahead.id as last, 1 + back.step + ahead.step as runs
      from unnest($2::uuid[]) given (id)
      cross join lateral (
        with recursive line (id, step) as (
          select given.id, 0
          union all
          select x.retry_of, step + 1
          from line cross join lateral (select r.retry_of, r.tenant_id from engine.all_runs r where r.id = line.id limit 1) x
          where x.tenant_id = $1 and x.retry_of is not null
        )
        select id, step from line order by step desc limit 1
      ) back
      cross join lateral (
        with recursive line (id, step) as (
          select given.id, 0
          union all
          select x.run_id, step + 1
          from line cross join lateral (select * from engine.all_retries a where a.retry_of = line.id limit 1) x
          where x.tenant_id = $1
        )
        select id, step from line order by step desc limit 1
      ) ahead`,
    values: [tenantId, runIds],
  });
  return new Map(rows.map(({ id, ...line }) => [id, line]));
}

export async function isAcknowledged(db: Queryable, tenantId: string, runId: string): Promise<boolean> {
  const { rows } = await db.query({
    name: 'reads-is-acknowledged',
    text: `
      select 1 from engine.states s
      join engine.flagged_runs f on f.tenant_id = $1 and f.status = s.status and f.run_id = $2
      where f.acknowledged_at is not null limit 1`,
    values: [tenantId, runId],
  });
  return rows.length > 0;
}

/** Which of these runs have a successor: a retry or a requeued dead letter. */
export async function findRetried(db: Queryable, runIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ retry_of: string }>({
    name: 'reads-find-retried',
    text: `
      select x.retry_of from unnest($1::uuid[]) given (id)
      cross join lateral (select a.retry_of from engine.all_retries a where a.retry_of = given.id limit 1) x`,
    values: [runIds],
  });
  return new Set(rows.map((row) => row.retry_of));
}

export interface FileFacts {
  readonly bytes: number;
  readonly sha256: string;
}

export async function readFileFacts(db: Queryable, tenantId: string, blobId: string): Promise<FileFacts | undefined> {
  const { rows } = await db.query<FileFacts>({
    name: 'reads-file-facts',
    text: `select bytes::float8 as bytes, encode(sha256, 'hex') as sha256 from engine.blobs where tenant_id = $1 and blob_id = $2`,
    values: [tenantId, blobId],
  });
  return rows[0];
}
