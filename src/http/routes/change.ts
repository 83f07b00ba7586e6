// A change under the caller's tenant together with its entry in the audit log, in one transaction.
import { audit } from '../../access/audit.ts';
import { inTenant } from '../../access/tenant-session.ts';
import type { OperationId } from '../../contract/api/operations.ts';
import type { Queryable } from '../../platform/database.ts';
import type { Call } from '../call.ts';

export function change<T>(
  call: Pick<Call<OperationId>, 'app' | 'principal' | 'origin' | 'operation'>,
  work: (db: Queryable, tenantId: string) => Promise<T>,
  note: (result: T) => { target: string; data?: Record<string, unknown> },
): Promise<T> {
  const { app, principal, origin, operation } = call;
  return inTenant(app.pool, principal.tenantId, async (db) => {
    const result = await work(db, principal.tenantId);
    await audit(db, principal, origin, { action: operation, ...note(result) });
    return result;
  });
}

/** A look under the caller's tenant. */
export function look<T>(
  call: Pick<Call<OperationId>, 'app' | 'principal'>,
  work: (db: Queryable, tenantId: string) => Promise<T>,
): Promise<T> {
  const { tenantId } = call.principal;
  return inTenant(call.app.pool, tenantId, (db) => work(db, tenantId), { readOnly: true });
}
