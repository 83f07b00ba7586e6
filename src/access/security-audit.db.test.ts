// The promise of row-level security for every table there is, also those added later, and proof that the audit sees each way to
// break it.
import { afterEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { withTransaction } from '../platform/database.ts';
import { ensureFirstTenant } from './operator.ts';
import { auditSecurity } from './security-audit.ts';

const database = useDatabase();
const undo: string[] = [];

afterEach(async () => {
  for (const statement of undo.splice(0).reverse()) await database.admin.query(statement);
});

/** Breaks the rule for one test; `fix` takes it back. */
async function breakBy(statement: string, fix: string): Promise<void> {
  undo.push(fix);
  await database.admin.query(statement);
}

const problems = async () =>
  (await auditSecurity(database.app)).map(({ what, name, problem }) => `${what} ${name}: ${problem}`);

describe('the security audit', () => {
  it('finds nothing: every tenant’s table is enabled and forced, views ask for the caller, no role can bypass it', async () => {
    expect(await problems()).toEqual([]);
  });

  it('without a tenant, no table of tenants shows the application a single row', async () => {
    await fillSomeTables();
    const { rows: tables } = await database.admin.query<{ name: string }>(
      `select distinct format('%I.%I', table_schema, table_name) as name
       from information_schema.columns c
       where column_name in ('tenant_id', 'workspace_id')
         and has_table_privilege('millrace_app', format('%I.%I', table_schema, table_name), 'select')`,
    );
    const seen = await withTransaction(database.app, async (tx) => {
      const counts: Record<string, number> = {};
      for (const { name } of tables) counts[name] = (await tx.query(`select count(*) as n from ${name}`)).rows[0].n;
      return counts;
    });
    expect(Object.keys(seen)).toEqual(
      expect.arrayContaining(['engine.runs', 'engine.events', 'public.users', 'engine.attempts']),
    );
    expect(Object.entries(seen).filter(([, count]) => count > 0)).toEqual([]);
  });

  it('a table without row-level security, or with it not forced, is found in any schema', async () => {
    await breakBy('create schema later; create table later.things (workspace_id uuid)', 'drop schema later cascade');
    expect(await problems()).toEqual(['table later.things: row-level security is not enabled and forced']);
    await database.admin.query('alter table later.things enable row level security');
    expect(await problems()).toEqual(['table later.things: row-level security is not enabled and forced']);
    await database.admin.query('alter table later.things force row level security');
    expect(await problems()).toEqual([]);
  });

  it('a policy that shows every tenant’s rows is found', async () => {
    await breakBy(
      'create policy wide on public.clients to millrace_app using (true)',
      'drop policy wide on public.clients',
    );
    expect(await problems()).toEqual(['policy public.clients (wide): it shows millrace_app rows of every tenant']);
  });

  it('such a policy is found, too, on a table that only another role may read', async () => {
    await breakBy(
      'create policy wide on public.document_deliveries to documents_worker using (true)',
      'drop policy wide on public.document_deliveries',
    );
    expect(await problems()).toEqual([
      'policy public.document_deliveries (wide): it shows documents_worker rows of every tenant',
    ]);
  });

  it('a view with its owner’s rights and a copy of tenants’ rows are found', async () => {
    await breakBy('create view public.all_users as select * from public.users', 'drop view public.all_users');
    await breakBy(
      'create materialized view public.copied as select tenant_id from public.tenants',
      'drop materialized view public.copied',
    );
    expect(await problems()).toEqual([
      'view public.all_users: it reads with its owner’s rights, not the caller’s',
      'view public.copied: it reads with its owner’s rights, not the caller’s',
    ]);
  });

  it('a definer function that is not on the list, not pinned or open to all is found', async () => {
    await breakBy(
      `create function public.sneak() returns int language sql security definer as 'select 1'`,
      'drop function public.sneak()',
    );
    expect(await problems()).toEqual([
      'function public.sneak: it runs with its owner’s rights and is not on the list',
      'function public.sneak: its search path is not fixed',
      'function public.sneak: everybody may call it',
    ]);
  });

  it('an application role that owns something or may bypass is found', async () => {
    await breakBy(
      'create table public.owned (x int); alter table public.owned owner to millrace_app',
      'drop table public.owned',
    );
    expect(await problems()).toEqual(['role millrace_app: it owns 1 objects and could change their protection']);
  });
});

/** Rows in the ledger, its history and the access tables, so that "no rows" means something. */
async function fillSomeTables(): Promise<void> {
  await ensureFirstTenant(database.app);
  const engine = await buildEngine(database.appUrl, [
    buildPipeline('audited', async ({ commit, progress }) => {
      progress({ done: 1, total: 1 });
      await commit(async () => undefined, { checkpoint: { at: 1 } });
      return 'complete';
    }),
  ]);
  try {
    await engine.start();
    const tenantId = newTenant();
    await engine.saveSchedule({ tenantId, name: 'later', pipeline: 'audited', cron: '0 3 1 1 *' });
    const { id } = await engine.enqueue({ pipeline: 'audited', tenantId, input: {} });
    await waitFor(async () => (await engine.run(tenantId, id)).finished_at);
  } finally {
    await engine.close();
  }
}
