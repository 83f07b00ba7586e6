// The real engine as the model test drives it: its own SQL and actions on a database whose clock stands still until it is moved.
import type pg from 'pg';
import type * as actions from '../../../src/engine/actions.ts';
import { Claimer } from '../../../src/engine/claimer.ts';
import { registerMachines } from '../../../src/engine/machines.ts';
import { type Registry, registryOf } from '../../../src/engine/pipeline.ts';
import { defaultSettings } from '../../../src/engine/settings.ts';
import type { Pool } from '../../../src/platform/database.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { pipelines } from './machine.ts';

/** What a replica brings back; `by`: the column by which rows belong to a run. */
const replicated: readonly { readonly table: string; readonly by?: string }[] = [
  { table: 'runs', by: 'id' },
  { table: 'ready', by: 'run_id' },
  { table: 'scheduled', by: 'run_id' },
  { table: 'leases', by: 'run_id' },
  { table: 'checkpoints', by: 'run_id' },
  { table: 'attempts', by: 'run_id' },
  { table: 'events', by: 'run_id' },
  { table: 'flagged_runs', by: 'run_id' },
  { table: 'workers' },
  { table: 'pauses' },
  { table: 'schedules' },
];

export interface WorldRow {
  readonly id: string;
  readonly status: string;
  readonly phase: string;
  readonly attempt: number;
  readonly failures: Record<string, number>;
  readonly error_code: string | null;
  readonly held_by: string | null;
  readonly cancel_by: string | null;
  readonly active_key: string | null;
  readonly requeued_as: string | null;
  readonly retry_of: string | null;
  /** ready, ready alone, planned MS, planned MS alone, leased WORKER, held, nowhere; several when something is wrong. */
  readonly place: string;
  /** Commits and last attempt of each stage. */
  readonly checkpoints: Record<string, { readonly commits: number; readonly attempt: number }>;
  readonly outcomes: readonly string[];
  readonly events: readonly string[];
}

export class World {
  readonly pool: Pool;
  readonly admin: pg.Pool;
  readonly registry: Registry = registryOf(pipelines);
  readonly deps: actions.ActionDeps;
  /** Runs of this episode have this id or a later one. */
  #firstId = uuidv7();

  private constructor(pool: Pool, admin: pg.Pool) {
    this.pool = pool;
    this.admin = admin;
    this.deps = { pool, registry: this.registry, announceReady() {}, async announceCancel() {} };
  }

  static async open(pool: Pool, admin: pg.Pool): Promise<World> {
    const world = new World(pool, admin);
    await admin.query(`
      create schema model;
      create table model.clock (at timestamptz not null);
      insert into model.clock values ('2030-01-01Z');
      grant usage on schema model to public;
      grant select on model.clock to public;
      create or replace function engine.now() returns timestamptz language sql volatile as $$ select at from model.clock $$`);
    await registerMachines(pool, world.registry, defaultSettings);
    return world;
  }

  async setClock(ms: number): Promise<void> {
    await this.admin.query('update model.clock set at = $1', [new Date(ms)]);
  }

  claimer(): Claimer {
    return new Claimer(this.pool, this.registry);
  }

  /** Everything live goes; the history of earlier episodes stays, as it does in life. */
  async clear(): Promise<void> {
    this.#firstId = uuidv7();
    await this.admin.query(
      `with a as (delete from engine.ready), b as (delete from engine.scheduled), c as (delete from engine.leases),
            d as (delete from engine.pauses), e as (delete from engine.schedules)
       delete from engine.workers`,
    );
  }

  /** Keeps what a replica has: everything of the runs of this episode. */
  async save(): Promise<void> {
    for (const { table } of replicated) {
      await this.admin.query(`drop table if exists model.saved_${table}`);
      await this.admin.query(
        `create table model.saved_${table} as select * from engine.${table} where ${this.#isOurs(table)}`,
      );
    }
  }

  /** Goes back to what was kept, as a promoted replica would: without triggers. */
  async restore(): Promise<void> {
    const client = await this.admin.connect();
    try {
      await client.query('begin; set local session_replication_role = replica');
      for (const { table } of replicated) {
        const columns = await this.#columnsOf(table);
        await client.query(`delete from engine.${table} where ${this.#isOurs(table)}`);
        await client.query(
          `insert into engine.${table} (${columns}) overriding system value select ${columns} from model.saved_${table}`,
        );
      }
      await client.query('commit');
    } finally {
      client.release();
    }
  }

  #isOurs(table: string): string {
    const by = replicated.find((each) => each.table === table)?.by;
    return by === undefined ? 'true' : `${by} >= '${this.#firstId}'`;
  }

  async #columnsOf(table: string): Promise<string> {
    const { rows } = await this.admin.query<{ columns: string }>(
      `select string_agg(quote_ident(column_name), ', ' order by ordinal_position) as columns
       from information_schema.columns
       where table_schema = 'engine' and table_name = $1 and is_generated = 'NEVER'`,
      [table],
    );
    return rows[0]?.columns ?? '';
  }

  async idOf(tenantId: string, pipeline: string, uniqueKey: string): Promise<string | undefined> {
    const { rows } = await this.admin.query<{ id: string }>(
      'select id from engine.runs where tenant_id = $1 and pipeline = $2 and unique_key = $3',
      [tenantId, pipeline, uniqueKey],
    );
    return rows[0]?.id;
  }

  async schedules(): Promise<{ name: string; pipeline: string; next_ms: number }[]> {
    const { rows } = await this.admin.query<{ name: string; pipeline: string; next_ms: number }>(
      `select tenant_id || '/' || name as name, pipeline, (extract(epoch from next_at) * 1000)::float8 as next_ms
       from engine.schedules order by 1`,
    );
    return rows;
  }

  async rows(ids: readonly string[]): Promise<WorldRow[]> {
    const { rows } = await this.admin.query<WorldRow>({
      name: 'model-rows',
      text: `
        select r.id, r.status, r.phase, r.attempt, r.failures, r.error_code, r.held_by,
               case when r.cancel_requested_at is not null then r.cancel_requested_by end as cancel_by,
               r.active_key, r.requeued_as, r.retry_of,
               coalesce((
                 select string_agg(place, ' and ') from (
                   select 'ready' || case when q.solo then ' alone' else '' end as place from engine.ready q where q.run_id = r.id
                   union all
                   select 'planned ' || round(extract(epoch from s.available_at) * 1000)::bigint || case when s.solo then ' alone' else '' end
                   from engine.scheduled s where s.run_id = r.id
                   union all
                   select 'leased ' || l.worker_id || case when l.attempt <> r.attempt then ' at attempt ' || l.attempt else '' end
                   from engine.leases l where l.run_id = r.id
                   union all
                   select 'held' where r.held_at is not null
                 ) places), 'nowhere') as place,
               coalesce((select jsonb_object_agg(c.stage, jsonb_build_object('commits', c.commits, 'attempt', c.attempt))
                         from engine.checkpoints c where c.run_id = r.id), '{}') as checkpoints,
               array(select a.outcome from engine.attempts a where a.run_id = r.id order by a.attempt) as outcomes,
               array(select e.type from engine.events e where e.run_id = r.id order by e.event_id) as events
        from engine.runs r
        where r.id = any ($1::uuid[])
        order by r.id`,
      values: [ids],
    });
    return rows;
  }
}
