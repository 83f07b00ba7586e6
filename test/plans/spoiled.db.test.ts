// An index that is missing shows: the statement that needs it is named, with its plan, and its neighbour is not.
import { expect, it } from 'vitest';
import { listAuditEntries } from '../../src/access/sql/list-audit-entries.ts';
import { findUser } from '../../src/access/sql/list-users.ts';
import { useDatabase } from '../support/database.ts';
import { byRequest } from './plan-case.ts';
import { findCliffs, measurePlans } from './plans.ts';

const database = useDatabase();

it('a page of a table whose index was dropped is found, whatever the statistics', async () => {
  const filter = { before: null, actions: null, actorId: null, since: null, until: null, limit: 20 };
  const found = await measurePlans(
    database,
    {
      folders: ['src/access/sql'],
      cases: [
        byRequest((db, w) => listAuditEntries(db, { tenantId: w.id('tenant_id', 1), ...filter })),
        byRequest((db, w) => findUser(db, w.ours, w.id('user_id', 41))),
      ],
    },
    (admin) => admin.query('drop index public.audit_log_by_tenant'),
  );
  expect(found.failures).toEqual([]);
  const cliffs = findCliffs(found.readings, found.sizes);
  expect(cliffs.map((cliff) => cliff.split(' ')[0])).toEqual(['access-list-audit-entries']);
  expect(cliffs[0]).toMatch(/on audit_log/);
});
