// The fence of an effects transaction, and what is written beside the effects.
import type { Queryable } from '../../platform/database.ts';

export interface Fence {
  /** The transaction's id: asked about when the connection breaks while COMMIT is under way. */
  readonly xid: string;
  readonly cancel_requested_by: string | null;
}

/** Locks the lease FOR SHARE until the transaction ends; undefined means another attempt has the run, or it has ended. */
export async function lockLease(db: Queryable, runId: string, attempt: number): Promise<Fence | undefined> {
  const { rows } = await db.query<Fence>({
    name: 'engine-lock-lease',
    text: `
      select pg_current_xact_id()::text as xid,
             case when r.cancel_requested_at is not null then r.cancel_requested_by end as cancel_requested_by
      from engine.leases l
      join engine.runs r on r.id = l.run_id
      where l.run_id = $1 and l.attempt = $2
      for share of l`,
    values: [runId, attempt],
  });
  return rows[0];
}

/** From here on the transaction is the stage's: its role, its run's tenant. */
export async function enterStage(db: Queryable, role: string, tenantId: string): Promise<void> {
  await db.query({
    name: 'engine-enter-stage',
    text: `select set_config('millrace.tenant_id', $2, true), set_config('role', $1, true)`,
    values: [role, tenantId],
  });
}

/** The rest of the transaction is the engine's again. Returns its id: null or another one when the stage has ended the one it was given. */
export async function leaveStage(db: Queryable): Promise<string | null> {
  const { rows } = await db.query<{ xid: string | null }>({
    name: 'engine-leave-stage',
    text: `select set_config('role', 'millrace_engine', true), pg_current_xact_id_if_assigned()::text as xid`,
  });
  return rows[0]?.xid ?? null;
}

/** committed, aborted or in progress; null when the server has forgotten (then it is long over). */
export async function transactionStatus(db: Queryable, xid: string): Promise<string | null> {
  const { rows } = await db.query<{ status: string | null }>({
    name: 'engine-transaction-status',
    text: `select pg_xact_status($1::xid8) as status`,
    values: [xid],
  });
  return rows[0]?.status ?? null;
}
