// The auditor: a program of its own that compares what the product holds with its own ledger. auditor.js LEDGER URL prints
// its counts. It uses no code of the product beyond the driver's connection.
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { type Ledger, readLedger } from './ledger.ts';

export interface Counts {
  /** Acknowledged and not there, or parts of it not there. */
  readonly lost: number;
  /** Rows or events that are there more than once. */
  readonly duplicated: number;
  /** Values, ends or histories that are not what the ledger says they must be. */
  readonly wrong: number;
  /** Not at an end. */
  readonly stuck: number;
  /** Rows that belong to nothing any more. */
  readonly orphans: number;
  /** Rows written by an attempt after a later one had begun. */
  readonly zombieWrites: number;
}

export interface Audit {
  readonly counts: Counts;
  readonly acknowledged: number;
  /** Acknowledged runs that have come to an end. */
  readonly ended: number;
  readonly runs: number;
  readonly lostAttempts: number;
  /** From a kill to the takeover of the runs it left behind. */
  readonly recoveryP95Ms: number | null;
  /** A few of the findings in words. */
  readonly findings: readonly string[];
}

/** A long soak has more entries than fit into one value. */
const LEDGER_CHUNK = 50_000;

interface Finding {
  readonly count: keyof Counts;
  readonly run: string | null;
  readonly what: string;
}

export async function audit(ledgerFile: string, url: string): Promise<Audit> {
  const ledger = readLedger(ledgerFile);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await loadLedger(client, ledger);
    const { rows: findings } = await client.query<Finding>(questions);
    const counts = { lost: 0, duplicated: 0, wrong: 0, stuck: 0, orphans: 0, zombieWrites: 0 };
    for (const finding of findings) counts[finding.count] += 1;
    const { rows } = await client.query<{
      runs: number;
      ended: number;
      lost_attempts: number;
      recovery: number | null;
    }>(totals);
    return {
      counts,
      acknowledged: ledger.acknowledged.length,
      ended: rows[0]?.ended ?? 0,
      runs: rows[0]?.runs ?? 0,
      lostAttempts: rows[0]?.lost_attempts ?? 0,
      recoveryP95Ms: rows[0]?.recovery ?? null,
      findings: findings.slice(0, 20).map(({ count, run, what }) => `${count}: ${what} (run ${run})`),
    };
  } finally {
    await client.end();
  }
}

async function loadLedger(client: pg.Client, ledger: Ledger): Promise<void> {
  const acknowledged = new Set(ledger.acknowledged);
  const rows = [...ledger.intents.values()].map((intent) => ({ ...intent, acknowledged: acknowledged.has(intent.id) }));
  await client.query(
    `create temp table expected (id uuid, tenant_id uuid, parts int, acknowledged boolean, status text, total bigint)`,
  );
  for (let from = 0; from < rows.length; from += LEDGER_CHUNK)
    await client.query(
      `insert into expected
       select id, "tenantId", parts, acknowledged,
              case trouble when 'bug' then 'failed' else 'completed' end,
              parts * amount + parts * (parts - 1) / 2
       from jsonb_to_recordset($1::jsonb) as x (id uuid, "tenantId" uuid, parts int, amount int, trouble text, acknowledged boolean)`,
      [JSON.stringify(rows.slice(from, from + LEDGER_CHUNK))],
    );
  await client.query('analyze expected');
  await client.query(
    `create temp table kills as select pid, to_timestamp(at / 1000) as at
     from jsonb_to_recordset($1::jsonb) as x (pid int, at float8)`,
    [JSON.stringify(ledger.kills)],
  );
}

// Each branch names what it counts. A finding is one row.
const questions = `
  with runs as (
    select r.*, e.parts, e.total, e.status as due_status, e.id is not null as expected
    from engine.runs r left join expected e on e.id = r.id
    where r.pipeline = 'tally'
  )
  select 'lost' as count, e.id as run, 'acknowledged but not in the ledger' as what
  from expected e where e.acknowledged and not exists (select from engine.runs r where r.id = e.id)
  union all
  select 'lost', r.id, 'completed with ' || count(distinct f.part) || ' of ' || r.parts || ' parts'
  from runs r left join chaos.effects f on f.run_id = r.id
  where r.expected and r.status = 'completed'
  group by r.id, r.parts having count(distinct f.part) <> r.parts
  union all
  select 'lost', r.id, 'completed without a total'
  from runs r where r.status = 'completed' and not exists (select from chaos.totals t where t.run_id = r.id)
  union all
  select 'lost', r.id, 'ended without its event'
  from runs r where r.phase in ('done', 'failed', 'dead')
    and not exists (select from engine.events v where v.run_id = r.id and v.type = 'run.' || r.phase)
  union all
  select 'duplicated', run_id, 'part ' || part || ' written ' || count(*) || ' times'
  from chaos.effects group by run_id, part having count(*) > 1
  union all
  select 'duplicated', run_id, 'total written ' || count(*) || ' times' from chaos.totals group by run_id having count(*) > 1
  union all
  select 'duplicated', run_id, 'ended ' || count(*) || ' times'
  from engine.events where type in ('run.done', 'run.failed', 'run.dead') group by run_id having count(*) > 1
  union all
  select 'duplicated', null, 'event ' || event_id || ' has ' || count(*) || ' positions'
  from engine.event_positions group by event_id having count(*) > 1
  union all
  select 'duplicated', null, 'event ' || event_id || ' applied ' || count(*) || ' times'
  from chaos.applied group by event_id having count(*) > 1
  union all
  select 'duplicated', retry_of, 'retried ' || count(*) || ' times' from engine.runs
  where retry_of is not null group by retry_of having count(*) > 1
  union all
  select 'wrong', r.id, 'is ' || r.status || ' (' || coalesce(r.error_code, 'no error') || '), not ' || r.due_status
  from runs r where r.expected and r.phase in ('done', 'failed', 'dead') and r.status <> r.due_status
  union all
  select 'wrong', r.id, 'total ' || t.total || ', not ' || r.total
  from runs r join chaos.totals t on t.run_id = r.id where r.expected and t.total <> r.total
  union all
  select 'wrong', r.id, 'receipt ' || r.receipt::text
  from runs r where r.expected and r.status = 'completed'
    and (r.receipt ->> 'read')::int is distinct from r.parts
  union all
  select 'wrong', r.id, 'attempt ' || r.attempt || ' but ' || count(a.attempt) || ' in its history'
  from runs r left join engine.attempts a on a.run_id = r.id
  where r.phase in ('done', 'failed', 'dead')
  group by r.id, r.attempt having count(a.attempt) <> r.attempt
  union all
  select 'wrong', a.run_id, 'event ' || a.event_id || ' applied out of order'
  from (select *, lag(position) over (order by seq) as before from chaos.applied) a where a.before > a.position
  union all
  select 'stuck', r.id, 'is ' || r.status || ', attempt ' || r.attempt from runs r where r.phase in ('waiting', 'active')
  union all
  select 'orphans', l.run_id, 'lease without an active run'
  from engine.leases l where not exists (select from engine.runs r where r.id = l.run_id and r.phase = 'active')
  union all
  select 'orphans', q.run_id, 'queued without waiting'
  from engine.ready q where not exists (select from engine.runs r where r.id = q.run_id and r.phase = 'waiting')
  union all
  select 'orphans', s.run_id, 'planned without waiting'
  from engine.scheduled s where not exists (select from engine.runs r where r.id = s.run_id and r.phase = 'waiting')
  union all
  select 'orphans', f.run_id, 'effect of no run' from chaos.effects f where not exists (select from engine.runs r where r.id = f.run_id)
  union all
  select 'orphans', v.run_id, 'event ' || v.event_id || ' without a position'
  from engine.events v where not exists (select from engine.event_positions p where p.event_id = v.event_id)
  union all
  select 'orphans', null, 'event ' || p.event_id || ' was not applied'
  from engine.event_positions p
  where exists (select from engine.consumers where consumer = 'chaos')
    and not exists (select from chaos.applied a where a.event_id = p.event_id)
  union all
  select 'zombieWrites', f.run_id, 'attempt ' || f.attempt || ' wrote part ' || f.part || ' after attempt ' || a.attempt || ' had begun'
  from chaos.effects f join engine.attempts a on a.run_id = f.run_id and a.attempt > f.attempt and a.started_at < f.written_at
  union all
  select 'zombieWrites', t.run_id, 'attempt ' || t.attempt || ' wrote its total after attempt ' || a.attempt || ' had begun'
  from chaos.totals t join engine.attempts a on a.run_id = t.run_id and a.attempt > t.attempt and a.started_at < t.written_at`;

const totals = `
  select (select count(*)::int from engine.runs where pipeline = 'tally') as runs,
         (select count(*)::int from expected e join engine.runs r on r.id = e.id
          where e.acknowledged and r.phase in ('done', 'failed', 'dead')) as ended,
         (select count(*)::int from engine.attempts where outcome = 'lost') as lost_attempts,
         (select percentile_cont(0.95) within group (order by extract(epoch from a.ended_at - k.at) * 1000)::int
          from engine.attempts a
          join engine.workers w on w.worker_id = a.worker_id
          join kills k on k.pid = w.pid and k.at >= w.started_at
          where a.outcome = 'lost' and a.started_at <= k.at) as recovery`;

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [ledgerFile, url] = process.argv.slice(2) as [string, string];
  process.stdout.write(JSON.stringify(await audit(ledgerFile, url)));
}
