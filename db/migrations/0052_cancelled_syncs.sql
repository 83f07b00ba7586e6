-- A cancelled sync is no dead letter: it has a state of its own. What it left at Airbyte can be reached, and cancelled, also after
-- its connector was removed.

-- From the removal of the connector until the cancellation is settled: the connection, and the credential as it was sealed.
alter table public.sync_cancellations
  add column connection_id uuid,
  add column credential bytea,
  add column credential_kind text check (credential_kind in ('installation', 'token', 'client')),
  add constraint sync_cancellations_keeps_whole_way check (
    (connection_id is null) = (credential_kind is null)
    and (credential is not null) = (coalesce(credential_kind, 'installation') <> 'installation')
  ),
  add constraint sync_cancellations_settled_keeps_no_secret check (settled_at is null or credential_kind is null);
create index sync_cancellations_by_connection on public.sync_cancellations (tenant_id, connection_id)
  where look_at is not null and connection_id is not null;

-- Those that ended as dead letters before there was the state. Nobody else may move an ended run; few were ever cancelled.
alter table engine.runs disable trigger runs_guard_moves;
update engine.runs set status = 'cancelled', phase = 'failed'
where pipeline = 'syncs' and status = 'dead_letter' and error_code = 'run_cancelled';
alter table engine.runs enable trigger runs_guard_moves;
update engine.flagged_runs f set status = r.status, phase = r.phase
from engine.runs r
where r.id = f.run_id and f.pipeline = 'syncs' and f.status <> r.status;
