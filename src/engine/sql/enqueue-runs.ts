// Puts runs into the ledger and, when due, into the queue: one statement, however many.
// A unique_key or active_key that is taken adds nothing; the run that holds it is reported instead.
import type { Queryable } from '../../platform/database.ts';
import type { BulkStatement } from '../../platform/guarded-client.ts';
import { BULK_LIMIT_MS } from '../engine-pools.ts';
import { arrayLiteral } from './array-literal.ts';
import { FEW_RUNS } from './claim-runs.ts';
import { channels } from './notify.ts';
import { runOfKey } from './run-of-key.ts';

// The server takes 8,000 bytes with a wake-up.
const MAX_LANE_LENGTH = 500;

export interface NewRun {
  readonly id: string;
  readonly tenantId: string;
  readonly pipeline: string;
  readonly status: string;
  readonly lane: string;
  readonly priority: number;
  readonly input: string;
  readonly uniqueKey: string | null;
  readonly activeKey: string | null;
  readonly availableAt: Date | null;
  readonly blobId: string | null;
  readonly sourceId: string | null;
  readonly retryOf: string | null;
  readonly correlationId: string | null;
  readonly createdBy: string | null;
  readonly createdIp: string | null;
}

export interface EnqueueManner {
  /** Pipelines for which a `run.queued` event is wanted. */
  readonly announced: readonly string[];
  /** Wakes the workers at commit. For who enqueues alone: the commit of a NOTIFY takes a database-wide lock. */
  readonly wakes: boolean;
  /** None of them can be there already: its id was just made and it has no key. Spares each the look before the insert. */
  readonly isNew: boolean;
  /** How long a call of few runs may hear nothing. Left out: as long as the connection allows. */
  readonly answerWithinMs?: number;
}

/** Of more runs than this, or longer inputs, a statement may take longer than others. */
const MANY_RUNS = 500;
const MANY_CHARACTERS = 1_000_000;

/** An id that the caller made long ago may be that of a run that has left the ledger. One look-up each, in the month of the id. */
const isInNoHistory = `(select true from engine.past_runs x where x.id = given.id limit 1) is null
          and (select true from engine.kept_runs x where x.id = given.id limit 1) is null`;

function isLarge(runs: readonly NewRun[]): boolean {
  if (runs.length > MANY_RUNS) return true;
  let characters = 0;
  for (const { input } of runs) characters += input.length;
  return characters > MANY_CHARACTERS;
}

/** The ids that were added, where not all of them were. */
export async function enqueueRuns(
  db: Queryable,
  runs: readonly NewRun[],
  manner: EnqueueManner,
): Promise<readonly string[] | 'all'> {
  const [only] = runs;
  if (
    only &&
    runs.length === 1 &&
    manner.isNew &&
    only.availableAt === null &&
    !manner.announced.includes(only.pipeline)
  ) {
    await enqueueOne(db, only, manner);
    return 'all';
  }
  const { rows } = await db.query<{ ids: string[] | null }>({
    answerWithinMs: isLarge(runs) ? BULK_LIMIT_MS : manner.answerWithinMs,
    name: manner.isNew ? 'engine-enqueue-new-runs' : 'engine-enqueue-runs',
    text: `
      with added as (
        insert into engine.runs (
          id, tenant_id, pipeline, status, phase, lane, priority, input, unique_key, active_key, blob_id, source_id,
          retry_of, correlation_id, created_by, created_ip, wait_reason
        )
        select id, tenant_id, pipeline, status, 'waiting', lane, priority, input, unique_key, active_key, blob_id, source_id,
               retry_of, correlation_id, created_by, created_ip,
               case when available_at > engine.now() then jsonb_build_object('kind', 'later', 'until', available_at) end
        from unnest(
          $1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::jsonb[], $8::text[],
          $9::text[], $10::timestamptz[], $11::uuid[], $12::text[], $13::uuid[], $14::text[], $15::uuid[], $16::inet[]
        ) as given (
          id, tenant_id, pipeline, status, lane, priority, input, unique_key,
          active_key, available_at, blob_id, source_id, retry_of, correlation_id, created_by, created_ip
        )
        ${manner.isNew ? '' : `where ${isInNoHistory} on conflict do nothing`}
        returning id, tenant_id, pipeline, status, lane, priority, (wait_reason ->> 'until')::timestamptz as available_at
      ),
      queued as (
        insert into engine.ready (pipeline, lane, priority, run_id)
        select pipeline, lane, priority, id from added where available_at is null
      ),
      later as (
        insert into engine.scheduled (run_id, pipeline, lane, priority, available_at)
        select id, pipeline, lane, priority, available_at from added where available_at is not null
      ),
      told as (
        insert into engine.events (tenant_id, run_id, type, data)
        select tenant_id, id, 'run.queued', jsonb_build_object('pipeline', pipeline, 'status', status)
        from added
        where pipeline = any ($17::text[])
        returning event_id
      ),
      posted as (
        insert into engine.event_inbox (event_id) select event_id from told
      )
      -- All ids are only worth their way back when some are missing.
      select case when count(*) < cardinality($1::uuid[]) then coalesce(array_agg(id), '{}') end as ids,
             case when $18 then pg_notify('${channels.ready}', $19) end
      from added`,
    values: [
      arrayLiteral(runs, (run) => run.id),
      arrayLiteral(runs, (run) => run.tenantId),
      arrayLiteral(runs, (run) => run.pipeline),
      arrayLiteral(runs, (run) => run.status),
      arrayLiteral(runs, (run) => run.lane),
      arrayLiteral(runs, (run) => run.priority),
      arrayLiteral(runs, (run) => run.input),
      arrayLiteral(runs, (run) => run.uniqueKey),
      arrayLiteral(runs, (run) => run.activeKey),
      arrayLiteral(runs, (run) => run.availableAt?.toISOString() ?? null),
      arrayLiteral(runs, (run) => run.blobId),
      arrayLiteral(runs, (run) => run.sourceId),
      arrayLiteral(runs, (run) => run.retryOf),
      arrayLiteral(runs, (run) => run.correlationId),
      arrayLiteral(runs, (run) => run.createdBy),
      arrayLiteral(runs, (run) => run.createdIp),
      manner.announced,
      manner.wakes,
      laneOfFew(runs),
    ],
  } as BulkStatement);
  return rows[0]?.ids ?? 'all';
}

/** One run that is new, due now and not announced: half the work for the server, which counts when nothing else is going on. */
async function enqueueOne(db: Queryable, run: NewRun, { wakes, answerWithinMs }: EnqueueManner): Promise<void> {
  await db.query({
    answerWithinMs,
    name: 'engine-enqueue-one',
    text: `
      with added as (
        insert into engine.runs (
          id, tenant_id, pipeline, status, phase, lane, priority, input, blob_id, source_id, correlation_id, created_by, created_ip
        )
        values ($1, $2, $3, $4, 'waiting', $5, $6, $7, $8, $9, $10, $11, $12)
      ),
      queued as (
        insert into engine.ready (pipeline, lane, priority, run_id) values ($3, $5, $6, $1)
      )
      select case when $13 then pg_notify('${channels.ready}', $14) end`,
    values: [
      run.id,
      run.tenantId,
      run.pipeline,
      run.status,
      run.lane,
      run.priority,
      run.input,
      run.blobId,
      run.sourceId,
      run.correlationId,
      run.createdBy,
      run.createdIp,
      wakes,
      laneOfFew([run]),
    ],
  } as BulkStatement);
}

/** What the wake-up says: the one lane of a few runs, so that workers find it before its turn comes; else nothing. */
function laneOfFew(runs: readonly NewRun[]): string {
  const [first] = runs;
  const isOneLane = runs.every(({ pipeline, lane }) => pipeline === first?.pipeline && lane === first.lane);
  if (!first || !isOneLane || runs.length > FEW_RUNS || first.lane.length > MAX_LANE_LENGTH) return '';
  return `${first.pipeline} ${first.lane}`;
}

/** Those of the ids that are in the ledger. */
export async function findThere(db: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ id: string }>({
    name: 'engine-find-there',
    text: `select id from engine.runs where id = any ($1::uuid[])`,
    values: [ids],
  });
  return new Set(rows.map(({ id }) => id));
}

/** The run that stands in the way of a new one: the same id, or the holder of one of its keys. */
export async function findHolder(db: Queryable, run: NewRun): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>({
    name: 'engine-find-holder',
    text: `
      (select id from engine.all_runs where id = $1)
      union all
      (${runOfKey('$2', '$3', '$4::text')})
      union all
      (select a.id from (
         select id, active_key from engine.runs
         where tenant_id = $2 and pipeline = $3 and active_key >= $5::text order by active_key limit 1
       ) a where a.active_key = $5)
      union all
      (select run_id from engine.all_retries where retry_of = $6)
      limit 1`,
    values: [run.id, run.tenantId, run.pipeline, run.uniqueKey, run.activeKey, run.retryOf],
  });
  return rows[0]?.id;
}
