// One installation of the built product with every pipeline there is, for the conformance suite: the API as a process of its own, workers
// that stop or die where they are told, people of many tenants, and everything that any of them logged.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { issueSession } from '../../src/access/login.ts';
import { loadSecrets } from '../../src/access/secrets.ts';
import { inTenant } from '../../src/access/tenant-session.ts';
import { addUser } from '../../src/access/users.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { buildTenant } from '../support/api.ts';
import type { TestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait-for.ts';

const program = fileURLToPath(new URL('../../dist/main/main.js', import.meta.url));
const JWT_SECRET = 'conformance-conformance-conformance';
const noPassword = `$2b$12$${'x'.repeat(53)}`;
/** A worker that does not die where it was told is ended, to say so. */
const LONG_MS = 300_000;

export interface Person {
  readonly tenantId: string;
  readonly token: string;
}

export interface Run {
  readonly run_id: string;
  readonly pipeline: string;
  readonly status: string;
  readonly phase: string;
  readonly receipt: { readonly read: number; readonly outcomes: Readonly<Record<string, number>> } | null;
  readonly error: { readonly code: string } | null;
  readonly finished_at: string | null;
  readonly retry_of: string | null;
  readonly rejects: { readonly total: number };
  readonly actions: readonly string[];
}

export interface Reject {
  readonly code: string;
  readonly column: string | null;
  readonly value: string | null;
  readonly raw: Readonly<Record<string, string | null>>;
  readonly status: string;
  readonly replayed_by: string | null;
}

export class Installation {
  readonly #env: Record<string, string>;
  readonly #children = new Set<ChildProcess>();
  readonly #database: TestDatabase;
  #url = '';
  #log = '';

  constructor(database: TestDatabase, home: string, env: Readonly<Record<string, string>>) {
    this.#database = database;
    this.#env = {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      DATABASE_URL: database.appUrl,
      DATABASE_MIGRATION_URL: database.adminUrl,
      MILLRACE_HOME: home,
      JWT_SECRET,
      LOG_LEVEL: 'trace',
      POLL_INTERVAL_MS: '100',
      SHUTDOWN_GRACE_SECONDS: '5',
      // However long the trials take: a run whose worker was killed stays with it until loseWorkers says so. Taken over before, it would be
      // the one that a later trial's worker is killed at.
      LEASE_SECONDS: '3600',
      PORT: '0',
      ...env,
    };
  }

  /** Everything that every process has written. */
  log(): string {
    return this.#log;
  }

  async openApi(): Promise<void> {
    const api = this.#launch('api');
    const isOver = () => api.child.exitCode !== null;
    const line = await waitFor(() => /^open\s+(\S+)$/m.exec(api.said())?.[1] ?? (isOver() && 'over'), {
      what: 'the API',
    });
    if (line === 'over') throw new Error(`the API ended: ${api.said()}`);
    this.#url = line;
  }

  /** A worker that works; the answer stops it in good order. */
  openWorker(): () => Promise<void> {
    const { child } = this.#launch('worker');
    return () => stop(child);
  }

  /** Resolves when the worker has died of the failpoint. */
  async workUntilKilled(failpoint: string): Promise<void> {
    const { child, said } = this.#launch('worker', { MILLRACE_FAILPOINT: failpoint });
    const late = setTimeout(() => child.kill('SIGTERM'), LONG_MS);
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    clearTimeout(late);
    if (signal !== 'SIGKILL') throw new Error(`the worker did not die at ${failpoint}: ${said()}`);
  }

  /** A worker that stands still at the failpoint; the answer lets it go on, and ends it in good order. */
  async workUntilStopped(failpoint: string): Promise<() => Promise<void>> {
    const { child } = this.#launch('worker', { MILLRACE_FAILPOINT: `${failpoint}:stop` });
    const state = () => readFileSync(`/proc/${child.pid}/stat`, 'utf8').replace(/^.*\) /, '')[0];
    await waitFor(() => state() === 'T', { what: `a worker that stands still at ${failpoint}` });
    return () => {
      child.kill('SIGCONT');
      return stop(child);
    };
  }

  /** As if so much time had passed that every worker of now is silent. */
  async loseWorkers(): Promise<void> {
    await this.#database.admin.query(
      `update engine.workers set expires_at = engine.now() - interval '1 second' where ended_at is null`,
    );
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    await Promise.all([...this.#children].map((child) => once(child, 'exit')));
  }

  async newPerson(): Promise<Person> {
    const tenantId = await buildTenant(this.#database, `Tenant ${uuidv7()}`);
    const email = `admin-${uuidv7()}@example.test`;
    const user = await inTenant(this.#database.app, tenantId, (db) =>
      addUser(db, tenantId, { email, role: 'admin' }, noPassword, false),
    );
    const secrets = await loadSecrets({ jwtSecret: JWT_SECRET, home: '' });
    const { token } = await issueSession(
      { secrets, expiryHours: 1 },
      { ...user, tenant_id: tenantId, token_version: 1 },
    );
    return { tenantId, token };
  }

  async call<T>(person: Person, method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${person.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  run(person: Person, runId: string): Promise<Run> {
    return this.call<Run>(person, 'GET', `/v1/runs/${runId}`);
  }

  async rejects(person: Person, runId: string): Promise<Reject[]> {
    return (await this.call<{ data: Reject[] }>(person, 'GET', `/v1/runs/${runId}/rejects?limit=2000`)).data;
  }

  /** Once the replay that took them has been heard of. */
  settledRejects(person: Person, runId: string): Promise<Reject[]> {
    const look = async () => {
      const rejects = await this.rejects(person, runId);
      return rejects.some(({ status }) => status === 'replayed') ? undefined : rejects;
    };
    return waitFor(look, { what: `the rejects of run ${runId} to be settled`, everyMs: 50 });
  }

  ended(person: Person, runId: string): Promise<Run> {
    const look = async () => {
      const run = await this.run(person, runId);
      return run.finished_at === null ? undefined : run;
    };
    return waitFor(look, { what: `the end of run ${runId}`, everyMs: 50 });
  }

  #launch(command: 'api' | 'worker', more: Readonly<Record<string, string>> = {}) {
    const child = spawn(process.execPath, [program, command], {
      env: { ...this.#env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    let said = '';
    const hear = (text: string) => {
      said += text;
      this.#log += text;
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    return { child, said: () => said };
  }
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}
