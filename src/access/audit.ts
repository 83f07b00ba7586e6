// The audit log: every change, sign-in, refusal and admin act, with who, what and from where. Append-only for the application.
// Data holds ids and words of ours only; never names of files, cells, passwords or tokens.
import type { Pool, Queryable } from '../platform/database.ts';
import { withTransaction } from '../platform/database.ts';
import type { Principal } from './principal.ts';
import { insertAuditEntry } from './sql/insert-audit-entry.ts';
import { inTenant } from './tenant-session.ts';

/** Where a request came from. */
export interface Origin {
  readonly ip: string | null;
  readonly correlationId: string | null;
}

export interface AuditNote {
  readonly action: string;
  readonly outcome?: 'done' | 'denied' | 'failed';
  readonly target?: string | null;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Writes in the caller's transaction, so that the entry exists exactly when the change does. */
export async function audit(db: Queryable, principal: Principal, origin: Origin, note: AuditNote): Promise<void> {
  const through = principal.membershipId === undefined ? {} : { membership: principal.membershipId };
  await insertAuditEntry(db, {
    tenantId: principal.tenantId,
    action: note.action,
    outcome: note.outcome ?? 'done',
    actorId: principal.actorId,
    actor: principal.actor,
    actorRole: principal.role,
    target: note.target ?? null,
    ip: origin.ip,
    correlationId: origin.correlationId,
    data: { ...note.data, ...through },
  });
}

/** For what has no transaction of its own: refusals, and acts the engine carried out. */
export function auditApart(pool: Pool, principal: Principal, origin: Origin, note: AuditNote): Promise<void> {
  return inTenant(pool, principal.tenantId, (db) => audit(db, principal, origin, note));
}

/** A refusal before anyone is known. It belongs to no tenant. */
export function auditStranger(pool: Pool, origin: Origin, note: AuditNote): Promise<void> {
  return withTransaction(pool, (db) =>
    insertAuditEntry(db, {
      tenantId: null,
      action: note.action,
      outcome: note.outcome ?? 'denied',
      actorId: null,
      actor: null,
      actorRole: null,
      target: note.target ?? null,
      ip: origin.ip,
      correlationId: origin.correlationId,
      data: note.data ?? {},
    }),
  );
}
