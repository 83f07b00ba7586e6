// An ended run does not change: every column of it, and its removal, tried with every role the server knows, in the ledger and its history.
import { beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { newTenant } from '../../test/support/engine.ts';
import { uuidv7 } from '../platform/ids.ts';

const database = useDatabase();
const tenantId = newTenant();
const tables = ['runs', 'past_runs', 'kept_runs'] as const;
const runOf = { runs: uuidv7(), past_runs: uuidv7(), kept_runs: uuidv7() };

beforeAll(async () => {
  for (const table of tables)
    await database.admin.query(
      `insert into engine.${table} (id, tenant_id, pipeline, status, phase, lane, input, receipt, priority, attempt, failures, error_code, created_at, finished_at, updated_at)
       values ($1, $2, 'judgments', 'failed', 'failed', 'lane', '{}', '{"read": 0}', 0, 1, '{}', 'input_invalid', engine.now(), engine.now(), engine.now())`,
      [runOf[table], tenantId],
    );
});

async function rolesOfServer(): Promise<string[]> {
  const { rows } = await database.admin.query<{ role: string }>(
    `select rolname as role from pg_roles where rolname !~ '^pg_' order by 1`,
  );
  return rows.map(({ role }) => role);
}

/** 'refused', or how many rows it reached. Rolled back in any case. */
async function attempt(role: string, sql: string, values: readonly unknown[]): Promise<'refused' | number> {
  const client = await database.admin.connect();
  try {
    await client.query('begin');
    await client.query(`select set_config('role', $1, true), set_config('millrace.tenant_id', $2, true)`, [
      role,
      tenantId,
    ]);
    return (await client.query(sql, [...values])).rowCount ?? 0;
  } catch (error) {
    const { code } = error as { code?: string };
    // No right to, or refused by a constraint or by the guards.
    if (code === '42501' || code === 'MR001' || code?.startsWith('23')) return 'refused';
    throw error;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

describe.each(tables)('an ended run in engine.%s', (table) => {
  it('keeps every column, whatever role writes, and is not removed', async () => {
    const { rows: columns } = await database.admin.query<{ name: string; type: string }>(
      `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
      [`engine.${table}`],
    );
    expect(columns.length).toBeGreaterThan(30);
    const roles = await rolesOfServer();
    expect(roles).toEqual(
      expect.arrayContaining(['millrace_engine', 'millrace_app', 'judgments_import', 'ads_promote']),
    );
    const reached: string[] = [];
    for (const role of roles) {
      for (const { name, type } of columns.filter((column) => column.name !== 'updated_at')) {
        const other = `(select case when c.${name} is null then ${someValueOf(type)} else null end from engine.${table} c where c.id = $1)`;
        const sql = `update engine.${table} set ${name} = ${other}::${type} where id = $1`;
        if ((await attempt(role, sql, [runOf[table]])) !== 'refused') reached.push(`${role} changed ${name}`);
      }
      if ((await attempt(role, `delete from engine.${table} where id = $1`, [runOf[table]])) !== 'refused')
        reached.push(`${role} removed it`);
    }
    // Roles under row-level security without a policy for it may be let in to no row at all; none was.
    expect(reached).toEqual([]);
  });
});

describe('the views of the specifications', () => {
  it('cannot be written by any role either', async () => {
    for (const role of await rolesOfServer())
      for (const view of ['ingest.import_runs', 'public.data_uploads', 'public.ingestion_jobs'])
        await expect(
          attempt(role, `update ${view} set status = status`, []).then(
            (reached) => reached,
            () => 'refused',
          ),
          `${role} ${view}`,
        ).resolves.toBe('refused');
  });
});

describe('a dead letter', () => {
  it('is linked to its successor once, and to no other one afterwards', async () => {
    const dead = uuidv7();
    await database.admin.query(
      `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, error_code, finished_at)
       values ($1, $2, 'syncs', 'dead_letter', 'dead', 'lane', '{}', 'unauthenticated', engine.now())`,
      [dead, tenantId],
    );
    const link = (to: string | null) =>
      database.engine.query('update engine.runs set requeued_as = $2, updated_at = engine.now() where id = $1', [
        dead,
        to,
      ]);
    await link(uuidv7());
    await expect(link(uuidv7())).rejects.toMatchObject({ code: 'MR001' });
    await expect(link(null)).rejects.toMatchObject({ code: 'MR001' });
  });
});

/** Some value of a type, for columns that hold none. */
function someValueOf(type: string): string {
  if (type === 'uuid') return `'0190a7a0-0000-7000-8000-000000000099'`;
  if (type === 'jsonb') return `'{}'`;
  if (type === 'inet') return `'10.0.0.1'`;
  if (type.startsWith('timestamp')) return 'now()';
  return `'x'`;
}
