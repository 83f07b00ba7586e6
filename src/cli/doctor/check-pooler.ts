// Whether role and timeouts arrive at the server, asked where statements run: alone, in a transaction, and past the pooler. A pooler that
// was not declared drops them silently.
import { connectClient, createPool, withTransaction } from '../../platform/database.ts';
import type { OpenDatabase } from '../../platform/open-database.ts';
import type { Finding } from './finding.ts';
import { readSession, type SessionSigns } from './sql/read-session.ts';

const wanted: SessionSigns = {
  role: 'millrace_engine',
  statement_timeout: '41s',
  idle_timeout: '43s',
  isolation: 'read committed',
};

export async function checkPooler(database: OpenDatabase, connectTimeoutMs: number): Promise<Finding> {
  const options = {
    applicationName: 'millrace doctor',
    connectTimeoutMs,
    role: wanted.role,
    statementTimeoutMs: 41_000,
    idleInTransactionTimeoutMs: 43_000,
  };
  const pool = createPool({ ...options, url: database.appUrl, pooler: database.pooler, max: 1 });
  const arrived: [string, SessionSigns][] = [];
  try {
    arrived.push(['a statement', await readSession(pool)]);
    arrived.push(['a transaction', await withTransaction(pool, readSession)]);
  } finally {
    await pool.end();
  }
  if (database.pooler !== 'none') {
    const direct = await connectClient({ ...options, url: database.directUrl });
    arrived.push(['DATABASE_DIRECT_URL', await readSession(direct).finally(() => direct.end())]);
  }
  const wrong = arrived.filter(([, signs]) => !isAsWanted(signs));
  const way = database.pooler === 'none' ? 'without a pooler' : 'through the pooler and directly';
  const levels = new Set(arrived.map(([, { isolation }]) => isolation).filter((level) => level !== wanted.isolation));
  if (wrong.length === 0 && levels.size > 0)
    return {
      check: 'connections',
      state: 'fail',
      detail: `single statements run ${[...levels].join(', ')} instead of ${wanted.isolation}: that is a default of the database or the login`,
      fix: 'Reset it: "alter database … reset default_transaction_isolation", or the same with "alter role".',
    };
  if (wrong.length === 0) return { check: 'connections', state: 'ok', detail: `role and timeouts arrive ${way}` };
  return {
    check: 'connections',
    state: 'fail',
    detail: wrong.map(([where, signs]) => `${where} runs ${describe(signs)}`).join('; '),
    fix: 'Behind a connection pooler set DATABASE_POOLER=transaction, and let DATABASE_DIRECT_URL name the server itself.',
  };
}

function isAsWanted(signs: SessionSigns): boolean {
  return (['role', 'statement_timeout', 'idle_timeout'] as const).every((sign) => signs[sign] === wanted[sign]);
}

function describe({ role, statement_timeout, idle_timeout }: SessionSigns): string {
  return `as ${role} with timeouts ${statement_timeout} and ${idle_timeout} instead of ${wanted.role}, ${wanted.statement_timeout} and ${wanted.idle_timeout}`;
}
