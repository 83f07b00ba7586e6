// The tables of the API under row-level security: nothing without a tenant, nothing of another, no rewriting of the log.
import { beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { withTransaction } from '../platform/database.ts';
import { addClient } from './clients.ts';
import { createTenant, createUser } from './operator.ts';
import { insertAuditEntry } from './sql/insert-audit-entry.ts';
import { inTenant } from './tenant-session.ts';

const db = useDatabase();
const tables = ['tenants', 'users', 'clients', 'api_keys', 'memberships', 'audit_log', 'idempotency_keys'];
let north = '';
let south = '';

beforeAll(async () => {
  for (const name of ['north', 'south']) {
    const { tenant_id: tenantId } = await createTenant(db.app, { name });
    await createUser(db.app, { tenantId, email: `admin@${name}.test`, role: 'admin' });
    await inTenant(db.app, tenantId, (tx) => addClient(tx, tenantId, 'Client'));
    if (name === 'north') north = tenantId;
    else south = tenantId;
  }
});

const count = async (tx: { query: typeof db.app.query }, table: string) =>
  Number((await tx.query<{ n: number }>(`select count(*) as n from ${table}`)).rows[0]?.n);

describe('row-level security of the access tables', () => {
  it('is enabled and forced on every one of them', async () => {
    const { rows } = await db.admin.query(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relname = any ($1)
         and relrowsecurity and relforcerowsecurity`,
      [[...tables, 'login_attempts']],
    );
    expect(rows).toHaveLength(tables.length + 1);
  });

  it('without a tenant the application sees no row, also after another tenant used the connection', async () => {
    await inTenant(db.app, north, (tx) => count(tx, 'users'));
    for (const table of tables)
      expect([table, await withTransaction(db.app, (tx) => count(tx, table))]).toEqual([table, 0]);
  });

  it('under a tenant it sees that tenant’s rows only, with no filter in the statement', async () => {
    for (const table of ['tenants', 'users', 'clients'])
      expect([table, await inTenant(db.app, north, (tx) => count(tx, table))]).toEqual([table, 1]);
  });

  it('a row cannot be written for, or moved to, another tenant', async () => {
    await expect(inTenant(db.app, north, (tx) => addClient(tx, south, 'Stolen'))).rejects.toThrow('row-level security');
    await expect(
      inTenant(db.app, north, (tx) => tx.query(`update clients set tenant_id = '${south}'`)),
    ).rejects.toThrow('permission denied');
  });

  it('the audit log can be appended to and read, not changed', async () => {
    const entry = {
      tenantId: north,
      action: 'test',
      outcome: 'done',
      actorId: null,
      actor: null,
      actorRole: null,
      target: null,
      ip: null,
      correlationId: null,
      data: {},
    } as const;
    await inTenant(db.app, north, (tx) => insertAuditEntry(tx, entry));
    for (const statement of ['update audit_log set action = $$x$$', 'delete from audit_log', 'truncate audit_log'])
      await expect(inTenant(db.app, north, (tx) => tx.query(statement))).rejects.toThrow('permission denied');
    await expect(inTenant(db.app, north, (tx) => insertAuditEntry(tx, { ...entry, tenantId: south }))).rejects.toThrow(
      'row-level security',
    );
  });

  it('the definer functions here are find_login, the one that makes an index and the one that serves a version again, with a pinned search path and no use for the public', async () => {
    const { rows } = await db.admin.query(
      `select proname, proconfig, has_function_privilege('public', p.oid, 'execute') as open
       from pg_proc p where pronamespace = 'public'::regnamespace and prosecdef order by proname`,
    );
    const pinned = { proconfig: expect.arrayContaining(['search_path=pg_catalog, pg_temp']), open: false };
    expect(rows).toEqual([
      { proname: 'find_login', ...pinned },
      { proname: 'index_signatures', ...pinned },
      { proname: 'reactivate_document_version', ...pinned },
    ]);
  });
});

describe('engine.ensure_role, for migrations', () => {
  it('makes a role once, whoever else makes it, and is for nobody but the owner', async () => {
    const name = `millrace_test_${process.pid}`;
    try {
      await Promise.all([1, 2, 3].map(() => db.admin.query('select engine.ensure_role($1)', [name])));
      const made = await db.admin.query('select rolcanlogin, rolinherit from pg_roles where rolname = $1', [name]);
      expect(made.rows).toEqual([{ rolcanlogin: false, rolinherit: false }]);
      await expect(db.engine.query('select engine.ensure_role($1)', [name])).rejects.toThrow(/permission denied/);
    } finally {
      await db.admin.query(`drop role if exists ${name}`);
    }
  });
});
