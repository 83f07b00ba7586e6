// Parts of the statements that end a run which waits: cancelled by a person, its question unanswered, or never delivered. Each is text inside
// one statement, so that queue, ledger, flags and outbox change together.

/** From `wanted` (id, pipeline, lane, priority): takes the runs out of the queue or off the plan. If it finds no row there, a claim was faster. */
export const leavesQueue = `
      unqueued as (
        delete from engine.ready q using wanted w
        where q.pipeline = w.pipeline and q.lane = w.lane and q.priority = w.priority and q.run_id = w.id
        returning q.run_id
      ),
      unplanned as (
        delete from engine.scheduled s using wanted w where s.run_id = w.id
        returning s.run_id
      )`;

/** What `ended` returns for `endIsTold`. */
export const endedColumns = 'r.id, r.tenant_id, r.pipeline, r.status, r.phase, r.finished_at, r.error_code';

/** From `ended`: the flag that people look for, and the event. */
export const endIsTold = `
      flagged as (
        insert into engine.flagged_runs (tenant_id, run_id, pipeline, status, phase, finished_at)
        select tenant_id, id, pipeline, status, phase, finished_at from ended
      ),
      told as (
        insert into engine.events (tenant_id, run_id, type, data)
        select tenant_id, id, 'run.' || phase, jsonb_build_object('pipeline', pipeline, 'status', status, 'error_code', error_code)
        from ended
        returning event_id
      ),
      posted as (
        insert into engine.event_inbox (event_id) select event_id from told
      )
      select id from ended`;
