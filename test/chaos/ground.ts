// The ground of the chaos suites: an embedded Postgres of their own that may be stopped at any moment, a fresh database and a
// fresh ledger for each suite, and the processes that are killed on it.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { EngineSettings } from '../../src/engine/settings.ts';
import { kitRoles } from '../../src/pipelines/all.ts';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { silentLog } from '../../src/platform/log.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { sendThrough, startPgBouncer } from '../support/pgbouncer.ts';
import { programFile } from '../support/programs.ts';
import { makeTempHome, removeTempHome } from '../support/temp-home.ts';
import type { Audit } from './auditor.ts';
import type { WorkerOrders } from './engine-worker.ts';
import { type FeederOrders, feed } from './feeding.ts';
import { append } from './ledger.ts';
import { schema } from './tally.ts';

export interface ChaosServer {
  readonly adminUrl: string;
  readonly appUrl: string;
  /** SIGQUIT: no checkpoint, recovery at the next start. The supervisor starts it again. */
  stopImmediately(): void;
  ground(settings: Partial<EngineSettings>): Promise<Ground>;
  close(): Promise<void>;
}

const TEMPLATE = 'chaos_template';

/**
 * How much longer than the rules allow everything may take. In `npm test` a slow machine is no news: what is lost or stuck stays so, however
 * long one waits. How soon a run must end is judged where the doses are large and the machine is calm.
 */
export const patienceMs = process.env.VITEST === undefined ? 0 : Number(process.env.MILLRACE_TEST_WAIT_MS ?? 240_000);

/** `settings` of the server on top of those of every suite. */
export async function openChaosServer(settings: Readonly<Record<string, string>> = {}): Promise<ChaosServer> {
  const home = makeTempHome('chaos');
  const all = { max_connections: '400', ...settings };
  const server = await startEmbeddedPostgres({ home, log: silentLog, settings: all });
  const pooler =
    process.env.MILLRACE_TEST_POOLER === 'transaction'
      ? await startPgBouncer(server.appUrl, [server.appUrl], { poolSize: 24 })
      : undefined;
  if (pooler) sendThrough(server.appUrl, pooler);
  const main = await stubbornClient(at(server.adminUrl, 'postgres'));
  const { rows } = await main.query<{ folder: string }>(`select current_setting('data_directory') as folder`);
  const pidFile = path.join(rows[0]?.folder ?? '', 'postmaster.pid');
  await main.end();
  let made = 0;
  let template: Promise<void> | undefined;
  return {
    adminUrl: server.adminUrl,
    appUrl: server.appUrl,
    stopImmediately() {
      const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
      process.kill(pid, 'SIGQUIT');
    },
    async ground(settings) {
      made += 1;
      const name = `chaos_${made}`;
      template ??= createTemplate(server.adminUrl);
      await template;
      await query(at(server.adminUrl, 'postgres'), `create database ${name} template ${TEMPLATE}`);
      return new Ground(at(server.adminUrl, name), at(server.appUrl, name), settings);
    },
    async close() {
      await pooler?.stop();
      await server.stop();
      removeTempHome(home);
    },
  };
}

/** Migrated once; the ground of every suite is a copy. */
async function createTemplate(adminUrl: string): Promise<void> {
  await query(at(adminUrl, 'postgres'), `create database ${TEMPLATE}`);
  await migrate({ url: at(adminUrl, TEMPLATE), appLogin: 'millrace', roles: kitRoles });
  await query(at(adminUrl, TEMPLATE), schema);
}

async function query(url: string, sql: string): Promise<void> {
  const client = await stubbornClient(url);
  await client.query(sql).finally(() => client.end());
}

export interface Feeder {
  readonly exited: Promise<NodeJS.Signals | number>;
  isAlive(): boolean;
}

export interface ChaosProcess extends Feeder {
  readonly pid: number;
  readonly orders: Partial<WorkerOrders>;
  /** Everything it has said. */
  readonly said: readonly string[];
  until(word: string, timeoutMs?: number): Promise<void>;
  signal(signal: NodeJS.Signals): void;
}

export class Ground {
  readonly adminUrl: string;
  readonly appUrl: string;
  readonly settings: Partial<EngineSettings>;
  readonly ledger: string;
  /** Feeders that gave up: what they were to submit is in no ledger, and nobody would miss it. */
  readonly #failures: string[] = [];
  readonly #folder: string;
  readonly #processes = new Set<ChaosProcess>();
  readonly #feeders: Promise<unknown>[] = [];
  readonly #closing = new AbortController();
  readonly #pool: pg.Pool;

  constructor(adminUrl: string, appUrl: string, settings: Partial<EngineSettings>) {
    this.adminUrl = adminUrl;
    this.appUrl = appUrl;
    this.settings = settings;
    this.#folder = mkdtempSync(path.join(tmpdir(), 'millrace-ledger-'));
    this.ledger = path.join(this.#folder, 'ledger.jsonl');
    this.#pool = new pg.Pool({ connectionString: adminUrl, max: 4, connectionTimeoutMillis: 3_000 });
    this.#pool.on('error', () => {});
  }

  get leaseMs(): number {
    return this.settings.leaseMs ?? 3_000;
  }

  worker(orders: Partial<WorkerOrders> = {}): ChaosProcess {
    const all = { url: this.appUrl, settings: this.settings, ...orders };
    return this.#spawn('test/chaos/engine-worker.ts', all, orders);
  }

  /** Submits runs. Only one that is to die of it, or acts on what it made, is a process of its own. */
  feeder(orders: Omit<FeederOrders, 'url' | 'ledger'> & { readonly url?: string }): Feeder {
    const all = { url: this.appUrl, ledger: this.ledger, ...orders };
    if (orders.failpoint !== undefined || orders.act !== undefined)
      return this.#spawn('test/chaos/engine-feeder.ts', all, {});
    let alive = true;
    const exited = feed(all, this.#closing.signal).then(
      () => 0,
      (error: unknown) => {
        this.#failures.push(`a feeder gave up: ${error instanceof Error ? error.message : String(error)}`);
        return 1;
      },
    );
    void exited.then(() => {
      alive = false;
    });
    this.#feeders.push(exited);
    return { exited, isAlive: () => alive };
  }

  /** Kills it as kill -9 does, and writes down when. */
  kill(process: ChaosProcess): void {
    append(this.ledger, [{ fact: 'killed', pid: process.pid, at: Date.now() }]);
    process.signal('SIGKILL');
  }

  /** Rows of the product, asked as a superuser; again and again while the server is away. */
  async ask<T extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<T[]> {
    for (let tries = 0; ; tries += 1) {
      try {
        return (await this.#pool.query<T>(text, values)).rows;
      } catch (error) {
        if (tries > 600 || (error as { code?: string }).code?.startsWith('42')) throw error;
        await pause(100);
      }
    }
  }

  /** Waits until no run is under way or waiting, for as long as the rules allow: two leases after the faults have stopped. */
  async settle(extraMs = 0): Promise<void> {
    const deadline = Date.now() + 2 * this.leaseMs + 5_000 + extraMs + patienceMs;
    let last = -1;
    let patience = deadline;
    for (;;) {
      const [row] = await this.ask<{ left: number }>(
        `select (select count(*)::int from engine.runs where phase in ('waiting', 'active'))
              + (select count(*)::int from engine.event_inbox)
              + (select count(*)::int from engine.event_positions p
                 where p.position > (select coalesce(max(position), 9223372036854775807) from engine.consumers where consumer = 'chaos')) as left`,
      );
      const left = row?.left ?? 0;
      if (left === 0) return;
      // While runs still come to their ends it is work, not standstill.
      if (last === -1 || left < last) patience = Math.max(patience, Date.now() + 2 * this.leaseMs + 2_000);
      last = left;
      if (Date.now() > patience) return;
      await pause(50);
    }
  }

  /** The auditor's own process, and what it found. This process stands meanwhile: a proxy in it would pass nothing on. */
  audit(url = this.adminUrl): Audit {
    const answer = execFileSync(process.execPath, [programFile('test/chaos/auditor.ts'), this.ledger, url], {
      encoding: 'utf8',
      maxBuffer: 64 * 2 ** 20,
    });
    const found = JSON.parse(answer) as Audit;
    const failures = this.#failures.map((what) => `wrong: ${what}`);
    return {
      ...found,
      counts: { ...found.counts, wrong: found.counts.wrong + failures.length },
      findings: [...failures, ...found.findings],
    };
  }

  /** Ends every process of this ground, asked first. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const process of this.#processes) {
      process.signal('SIGCONT');
      process.signal('SIGTERM');
    }
    const all = Promise.all([...this.#feeders, ...[...this.#processes].map((process) => process.exited)]);
    const forced = setTimeout(() => {
      for (const process of this.#processes) process.signal('SIGKILL');
    }, 8_000);
    await all;
    clearTimeout(forced);
    await this.#pool.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #spawn(source: string, orders: object, workerOrders: Partial<WorkerOrders>): ChaosProcess {
    const child = spawn(process.execPath, [programFile(source), JSON.stringify(orders)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said: string[] = [];
    let alive = true;
    child.stdout.setEncoding('utf8').on('data', (text: string) => said.push(...text.split('\n').filter(Boolean)));
    const exited = new Promise<NodeJS.Signals | number>((resolve) => {
      child.once('exit', (code, signal) => {
        alive = false;
        this.#processes.delete(made);
        resolve(signal ?? code ?? 0);
      });
    });
    const made: ChaosProcess = {
      pid: child.pid ?? 0,
      orders: workerOrders,
      said,
      exited,
      isAlive: () => alive,
      async until(word, timeoutMs = 60_000) {
        const deadline = Date.now() + timeoutMs + patienceMs;
        while (!said.includes(word)) {
          if (!alive) throw new Error(`the process ended before it said "${word}"`);
          if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms for a process to say "${word}"`);
          await pause(5);
        }
      },
      signal(signal) {
        if (alive) child.kill(signal);
      },
    };
    this.#processes.add(made);
    return made;
  }
}

function at(url: string, database: string): string {
  const target = new URL(url);
  target.pathname = `/${database}`;
  return target.href;
}

async function stubbornClient(url: string): Promise<pg.Client> {
  for (let tries = 0; ; tries += 1) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      if (tries > 600) throw error;
      await pause(100);
    }
  }
}
