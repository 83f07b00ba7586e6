import { type Pool, type Queryable, withTenant } from '../../platform/database.ts';
import type { PlannedStatement } from '../../platform/planner-settings.ts';

const READER = 'millrace_app';

/**
 * Each statement in a transaction of its own, under the run's tenant. Recounting a large file takes minutes; one transaction over all of it would
 * keep the server from cleaning up what everybody else leaves behind meanwhile. An ended run does not change, so that none is needed. What a
 * statement is planned under comes with it: nothing that one sets is there for the next.
 */
export function statementByStatement(pool: Pool, tenantId: string): Queryable {
  const query = (...given: Parameters<Queryable['query']>) => {
    const { settings } = given[0] as unknown as PlannedStatement;
    const session = { tenantId, role: READER, ...(settings === undefined ? {} : { settings }) };
    return withTenant(pool, session, (tx) => tx.query(...given) as unknown as Promise<unknown>, { readOnly: true });
  };
  return { query: query as unknown as Queryable['query'] };
}
