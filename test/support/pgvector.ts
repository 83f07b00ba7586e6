// Servers that have pgvector, with the schema of the product: one in this process, and the one of the machine where the extension is installed for
// it (Debian: postgresql-17-pgvector). PGVECTOR_POSTGRES names the folder of another server's programs.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import pg from 'pg';
import { kitRoles } from '../../src/pipelines/all.ts';
import type { Queryable } from '../../src/platform/database.ts';
import { chooseServerUser } from '../../src/platform/embedded/server-user.ts';
import { silentLog } from '../../src/platform/log.ts';
import { migrate, migrationsFolder } from '../../src/platform/migrate.ts';
import { freePort } from './free-port.ts';
import { waitFor } from './wait-for.ts';

// biome-ignore lint/suspicious/noExplicitAny: rows of any statement
type Rows = { rows: any[] };

export interface VectorServer {
  /** As the owner of the schema. */
  readonly db: Queryable;
  query(text: string, values?: readonly unknown[]): Promise<Rows>;
  exec(sql: string): Promise<unknown>;
  /** As a search asks: in a transaction of the application that sees one tenant. */
  asTenant<T>(tenantId: string, work: (db: Queryable) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export async function openInProcess(): Promise<VectorServer> {
  const server = new PGlite({ extensions: { vector } });
  for (const file of readdirSync(migrationsFolder).sort())
    if (file.endsWith('.sql')) await server.exec(readFileSync(path.join(migrationsFolder, file), 'utf8'));
  const query = (text: string, values: readonly unknown[] = []) => server.query(text, [...values]) as Promise<Rows>;
  return serverOf(
    query,
    (sql) => server.exec(sql),
    () => server.close(),
  );
}

/** The folder with the programs of a server that has the extension. */
export function serverWithVector(): string | undefined {
  const { PGVECTOR_POSTGRES: named } = process.env;
  if (named !== undefined) return named;
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const version = versions.find((each) => existsSync(`/usr/share/postgresql/${each}/extension/vector.control`));
  return version === undefined ? undefined : path.join(root, version, 'bin');
}

export async function openServer(programs: string): Promise<VectorServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-pgvector-'));
  const data = path.join(folder, 'data');
  // Postgres refuses to run as root.
  const user = chooseServerUser(data);
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const as = { cwd: folder, ...(user && { uid: user.uid, gid: user.gid }) };
  const made = spawnSync(path.join(programs, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust'], as);
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const port = await freePort();
  const settings = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: folder, fsync: 'off' };
  const child = spawn(
    path.join(programs, 'postgres'),
    ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...as, stdio: 'ignore' },
  );
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const client = await waitFor(() => connected(url), { what: 'the server with pgvector' });
  await client.query(`create role millrace login`);
  await migrate({ url, appLogin: 'millrace', log: silentLog, roles: kitRoles });
  const query = (text: string, values: readonly unknown[] = []) => client.query(text, [...values]);
  return serverOf(
    query,
    (sql) => client.query(sql),
    async () => {
      await client.end();
      await stopped(child);
      rmSync(folder, { recursive: true, force: true });
    },
  );
}

function serverOf(
  query: VectorServer['query'],
  exec: VectorServer['exec'],
  close: VectorServer['close'],
): VectorServer {
  // One session: what it is given is what a client of pg gives, without names of statements.
  const db = {
    query: ({ text, values }: { text: string; values?: unknown[] }) => query(text, values),
  } as unknown as Queryable;
  return {
    db,
    query,
    exec,
    async asTenant(tenantId, work) {
      await exec('begin');
      try {
        await query(
          `select set_config('role', 'millrace_app', true), set_config('millrace.tenant_id', $1, true),
                  set_config('enable_seqscan', 'off', true)`,
          [tenantId],
        );
        return await work(db);
      } finally {
        await exec('rollback');
      }
    },
    close,
  };
}

async function connected(url: string): Promise<pg.Client | undefined> {
  const client = new pg.Client(url);
  try {
    await client.connect();
    return client;
  } catch {
    return undefined;
  }
}

async function stopped(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  // An immediate stop: nothing of it is needed again.
  child.kill('SIGQUIT');
  await gone;
}
