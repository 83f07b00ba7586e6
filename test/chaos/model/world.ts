// The real engine as the model test drives it: its own SQL and actions on a database whose clock stands still until it is moved.
import type pg from 'pg';
import type * as actions from '../../../src/engine/actions.ts';
import { Claimer } from '../../../src/engine/claimer.ts';
import { registerMachines } from '../../../src/engine/machines.ts';
import { type Registry, registryOf } from '../../../src/engine/pipeline.ts';
import { defaultSettings } from '../../../src/engine/settings.ts';
import type { Pool } from '../../../src/platform/database.ts';
import { pipelines } from './machine.ts';

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
  readonly outcomes: readonly string[];
  readonly events: readonly string[];
}

export class World {
  readonly pool: Pool;
  readonly admin: pg.Pool;
  readonly registry: Registry = registryOf(pipelines);
  readonly deps: actions.ActionDeps;

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
    await this.admin.query(
      `with a as (delete from engine.ready), b as (delete from engine.scheduled), c as (delete from engine.leases),
            d as (delete from engine.pauses)
       delete from engine.workers`,
    );
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
