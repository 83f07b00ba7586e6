import { type Pool, type Queryable, withTenant } from '../../platform/database.ts';

const READER = 'millrace_app';

/**
 * Each statement in a transaction of its own, under the run's tenant. Recounting a large file takes minutes; one transaction over all of it would
 * keep the server from cleaning up what everybody else leaves behind meanwhile. An ended run does not change, so that none is needed.
 */
export function statementByStatement(pool: Pool, tenantId: string): Queryable {
  const query = (...given: Parameters<Queryable['query']>) =>
    withTenant(pool, { tenantId, role: READER }, (tx) => tx.query(...given) as unknown as Promise<unknown>, {
      readOnly: true,
    });
  return { query: query as unknown as Queryable['query'] };
}
