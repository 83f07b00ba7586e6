// The fence of an effects transaction, and what is written beside the effects.
import type { Queryable } from '../../platform/database.ts';

/** Who may write: this worker, in this attempt at this part of the run. */
export interface FenceKey {
  readonly id: string;
  readonly part: string;
  readonly attempt: number;
  readonly workerId: string;
}

export interface Fence {
  /** The transaction's id: another one at its end means that the stage has ended the transaction it was given. */
  readonly xid: string;
  readonly cancel_requested_by: string | null;
}

/**
 * Locks the lease FOR SHARE until the transaction ends; undefined means another attempt has the run, or it has ended. The
 * advisory lock, which nobody takes but shared, lets `engine.stop_effects` find this backend.
 */
export async function lockLease(db: Queryable, lease: FenceKey): Promise<Fence | undefined> {
  const { rows } = await db.query<Fence>({
    name: 'engine-lock-lease',
    text: `
      select pg_current_xact_id()::text as xid,
             case when r.cancel_requested_at is not null then r.cancel_requested_by end as cancel_requested_by,
             pg_try_advisory_xact_lock_shared(engine.effects_key(l.run_id, l.part, l.attempt))
      from engine.leases l
      join engine.runs r on r.id = l.run_id
      where l.run_id = $1 and l.part = $2 and l.attempt = $3 and (l.worker_id = $4) is true
      for share of l`,
    values: [lease.id, lease.part, lease.attempt, lease.workerId],
  });
  return rows[0];
}

/** From here on the transaction has this role and sees this tenant. */
export async function enterStage(db: Queryable, role: string, tenantId: string): Promise<void> {
  await db.query({
    name: 'engine-enter-stage',
    text: `select set_config('millrace.tenant_id', $2, true), set_config('role', $1, true)`,
    values: [role, tenantId],
  });
}

export interface EffectsEntry {
  readonly role: string;
  readonly tenantId: string;
  readonly statementMs: number;
  readonly transactionMs: number;
}

/**
 * From here on the transaction is the stage's: its role, its run's tenant, its limits. The limit of the whole transaction needs
 * Postgres 17; before that the rescuer alone ends the transaction of a worker that is frozen.
 */
export async function enterEffects(db: Queryable, entry: EffectsEntry): Promise<void> {
  await db.query({
    name: 'engine-enter-effects',
    text: `
      select set_config('millrace.tenant_id', $2, true), set_config('role', $1, true), set_config('statement_timeout', $3, true),
             case when current_setting('server_version_num')::int >= 170000 then set_config('transaction_timeout', $4, true) end`,
    values: [entry.role, entry.tenantId, String(entry.statementMs), String(entry.transactionMs)],
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

// How long one look at a commit in doubt may wait for the transaction it asks about.
const IN_DOUBT_LOCK_MS = 2_000;

/**
 * The count of commits once no transaction is under way under this fence: FOR UPDATE waits for them. Undefined when the lease is no longer
 * ours. Two statements, so that the count is read in a snapshot taken after the wait.
 */
export async function countUnderFence(
  tx: Queryable,
  lease: FenceKey & { readonly stage: string },
  part: string,
): Promise<number | undefined> {
  await tx.query({
    name: 'engine-limit-lock-wait',
    text: `select set_config('lock_timeout', $1, true)`,
    values: [String(IN_DOUBT_LOCK_MS)],
  });
  const held = await tx.query({
    name: 'engine-lock-lease-in-doubt',
    text: `
      select from engine.leases
      where run_id = $1 and part = $2 and attempt = $3 and (worker_id = $4) is true
      for update`,
    values: [lease.id, lease.part, lease.attempt, lease.workerId],
  });
  if (held.rowCount !== 1) return undefined;
  const { rows } = await tx.query<{ commits: number }>({
    name: 'engine-count-commits',
    text: `select commits from engine.checkpoints where run_id = $1 and stage = $2 and part = $3`,
    values: [lease.id, lease.stage, part],
  });
  return rows[0]?.commits ?? 0;
}

/**
 * Cancels the statements under this attempt's fence, or (hard) ends their connections. How many there were; -1 when the
 * database's owner may not do that, and only the limits of the transaction itself will end it.
 */
export async function stopEffects(
  db: Queryable,
  lease: Pick<FenceKey, 'id' | 'part' | 'attempt'>,
  how: 'cancel' | 'end',
): Promise<number> {
  const { rows } = await db.query<{ stopped: number }>({
    name: 'engine-stop-effects',
    text: `select engine.stop_effects($1, $2, $3, $4) as stopped`,
    values: [lease.id, lease.part, lease.attempt, how === 'end'],
  });
  return rows[0]?.stopped ?? 0;
}
