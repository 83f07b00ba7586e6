// A change under the caller's tenant together with its entry in the audit log, in one transaction.
import { audit, type Origin } from '../../access/audit.ts';
import type { Principal } from '../../access/principal.ts';
import { inTenant } from '../../access/tenant-session.ts';
import type { Pool, Queryable } from '../../platform/database.ts';
import type { AuditEntry, AuditTrail } from '../audit-trail.ts';

/** What a look needs of a call. */
export interface LookingCall {
  readonly app: { readonly pool: Pool };
  readonly principal: Principal;
}

/** What a change needs of a call. */
export interface ChangingCall extends LookingCall {
  readonly operation: string;
  readonly origin: Origin;
  readonly trail: AuditTrail;
}

/** `note` undefined: it turned out that nothing was to be changed. A second change of one call adds no second entry. */
export async function change<T>(
  call: ChangingCall,
  work: (db: Queryable, tenantId: string) => Promise<T>,
  note: (result: T) => AuditEntry | undefined,
): Promise<T> {
  const { app, principal, origin, operation, trail } = call;
  const result = await inTenant(app.pool, principal.tenantId, async (db) => {
    const done = await work(db, principal.tenantId);
    const entry = note(done);
    if (entry !== undefined && !trail.isSettled) await audit(db, principal, origin, { action: operation, ...entry });
    return done;
  });
  trail.committed();
  return result;
}

/** A look under the caller's tenant. */
export function look<T>(call: LookingCall, work: (db: Queryable, tenantId: string) => Promise<T>): Promise<T> {
  const { tenantId } = call.principal;
  return inTenant(call.app.pool, tenantId, (db) => work(db, tenantId), { readOnly: true });
}
