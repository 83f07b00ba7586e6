// `runs-list-p95`: GET /v1/runs over a ledger of a million runs, at random depths and with the filters people use, beside a bare
// `select 1` on the same connections. Half of the runs belong to one tenant, the rest to a hundred others.
import type { Queryable } from '../../src/platform/database.ts';
import { type Figure, percentile, time } from './report.ts';

const tenants = 100;

const FIRST_MS = 1_700_000_000_000;
/** Six seconds from run to run: ten million are made in 23 months. */
const PAST_STEP_MS = 6_000;

/** Ends as a busy installation has them: 4 % failed, 1 % partial. Ids are in the order of their making, as uuid v7 are. */
const endedRuns = (table: string, stepMs: number) => `
    insert into engine.${table} (id, tenant_id, pipeline, status, phase, lane, priority, input, receipt, attempt, failures, error_code, created_at, started_at, finished_at, updated_at)
    select (lpad(to_hex(${FIRST_MS} + n::bigint * ${stepMs}), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid,
           case when n % 2 = 0 then $1::uuid else (lpad(to_hex(n % ${tenants}), 8, '0') || '-0000-7000-8000-000000000000')::uuid end,
           case when n % 3 = 0 then 'plain' else 'other' end,
           case when n % 25 = 4 then 'failed' when n % 100 = 2 then 'partial' else 'completed' end,
           case when n % 25 = 4 then 'failed' else 'done' end,
           $1, 0, jsonb_build_object('title', 'export ' || n || '.csv', 'source', 'api'),
           '{"read": 10, "outcomes": {"inserted": 9, "rejected": 1}}', 1, '{}',
           case when n % 25 = 4 then 'input_invalid' end,
           engine.now() - make_interval(secs => $3 - n), engine.now(), engine.now(), engine.now()
    from generate_series($2::int, $3::int) n`;

const flagged = (table: string) => `
    insert into engine.flagged_runs (tenant_id, run_id, pipeline, status, phase, finished_at)
    select tenant_id, id, pipeline, status, phase, finished_at from engine.${table} where status in ('failed', 'partial')`;

export async function fillRuns(db: Queryable, tenantId: string, count: number): Promise<void> {
  await db.query(endedRuns('runs', 1), [tenantId, 1, count]);
  await db.query(flagged('runs'));
  await db.query('vacuum analyze engine.runs');
  await db.query('vacuum analyze engine.flagged_runs');
}

/**
 * The same in the history, month by month. How they came there is not what is measured, so nothing of it waits for the disk. The embedded server has its
 * settings on its command line, over which these of the file have no power; where the bench is given a server of its own, they spare it a
 * quarter of an hour.
 */
export async function fillHistory(
  db: Queryable,
  tenantId: string,
  count: number,
  say: (line: string) => void,
): Promise<void> {
  for (const setting of ['fsync', 'full_page_writes', 'autovacuum'])
    await db.query(`alter system set ${setting} = off`);
  await db.query(`alter system set max_wal_size = '16GB'`);
  await db.query('select pg_reload_conf()');
  await db.query('set synchronous_commit = off');
  await db.query(
    `select engine.add_history_month(m::date)
     from generate_series(to_timestamp(${FIRST_MS / 1_000}), to_timestamp(${FIRST_MS / 1_000} + $1::bigint * ${PAST_STEP_MS / 1_000}) + interval '1 month', '1 month') m`,
    [count],
  );
  const chunk = 500_000;
  for (let first = 1; first <= count; first += chunk) {
    await db.query(endedRuns('past_runs', PAST_STEP_MS), [tenantId, first, Math.min(count, first + chunk - 1)]);
    say(`  ${Math.min(count, first + chunk - 1).toLocaleString('en')} runs in the history`);
  }
  await db.query(flagged('past_runs'));
  await db.query('vacuum analyze engine.past_runs');
  await db.query('vacuum analyze engine.flagged_runs');
  for (const setting of ['fsync', 'full_page_writes', 'autovacuum', 'max_wal_size'])
    await db.query(`alter system reset ${setting}`);
  await db.query('select pg_reload_conf()');
  await db.query('checkpoint');
}

export async function benchRunsList(options: {
  url: string;
  token: string;
  pool: Queryable;
  count: number;
  requests: number;
  /** Whether the runs are in the history. */
  isPast?: boolean;
  say: (line: string) => void;
}): Promise<Figure> {
  const asks = [
    ['any page', {}],
    ['pipeline', { pipeline: 'plain' }],
    ['failed', { phase: 'failed' }],
    ['partial', { status: 'partial' }],
    ['title', { q: 'export 77' }],
    ['completed', { status: 'completed' }],
  ] as const;
  const all: number[] = [];
  for (const [name, query] of asks) {
    const times: number[] = [];
    for (let n = 0; n < options.requests; n++) times.push(await timedPage(options, query));
    const warm = times.slice(Math.ceil(options.requests / 10));
    options.say(`  ${name}: p50 ${percentile(warm, 0.5).toFixed(1)} ms, p95 ${percentile(warm, 0.95).toFixed(1)} ms`);
    // A search in titles reads a bounded part of the ledger; it is shown, not counted.
    if (name !== 'title') all.push(...warm);
  }
  for (const page of ['1', '400']) {
    const times: number[] = [];
    for (let n = 0; n < options.requests; n++)
      times.push(await timed(options, `/v1/ingestion-runs?page=${page}&limit=20`));
    const warm = times.slice(Math.ceil(options.requests / 10));
    options.say(
      `  page ${page} by number: p50 ${percentile(warm, 0.5).toFixed(1)} ms, p95 ${percentile(warm, 0.95).toFixed(1)} ms`,
    );
  }
  const pings: number[] = [];
  for (let n = 0; n < options.requests; n++) {
    const startedAt = performance.now();
    await options.pool.query('select 1');
    pings.push(performance.now() - startedAt);
  }
  return time('runs-list-p95', [percentile(all, 0.95)], 'ms', { 'select-1-p95': percentile(pings, 0.95) });
}

function timedPage(
  server: { url: string; token: string; count: number; isPast?: boolean },
  query: Readonly<Record<string, string>>,
): Promise<number> {
  const n = Math.ceil(Math.random() * server.count);
  const madeMs = FIRST_MS + n * (server.isPast ? PAST_STEP_MS : 1);
  const id = `${madeMs.toString(16).padStart(12, '0')}70008000${n.toString(16).padStart(12, '0')}`;
  const uuid = id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const after = Buffer.from(JSON.stringify([uuid])).toString('base64url');
  const asked = new URLSearchParams({ ...query, after, limit: '50' });
  return timed(server, `/v1/runs?${asked}`);
}

async function timed({ url, token }: { url: string; token: string }, path: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  await response.json();
  if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
  return performance.now() - startedAt;
}
