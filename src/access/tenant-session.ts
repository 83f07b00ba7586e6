// How the API enters the database: as millrace_app under one tenant, or as the operator of the installation.
import {
  type Pool,
  type Queryable,
  type TenantSession,
  type TransactionOptions,
  withTenant,
} from '../platform/database.ts';

export const APP_ROLE = 'millrace_app';
const OPERATOR_ROLE = 'millrace_operator';

export function inTenant<T>(
  pool: Pool,
  tenantId: string,
  fn: (db: Queryable) => Promise<T>,
  { settings, ...options }: TransactionOptions & Pick<TenantSession, 'settings'> = {},
): Promise<T> {
  return withTenant(pool, { tenantId, role: APP_ROLE, ...(settings && { settings }) }, fn, options);
}

/** Only for the command line and the first start: sees every tenant. */
export function asOperator<T>(pool: Pool, fn: (db: Queryable) => Promise<T>): Promise<T> {
  return withTenant(pool, { tenantId: '', role: OPERATOR_ROLE }, fn);
}
