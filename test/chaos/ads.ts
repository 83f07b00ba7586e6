// The ads pipeline under fire: files are uploaded, their workers are killed at random and at failpoints, Postgres is stopped, and at the
// end every table is compared with a reference that was computed from the generated rows, without the product.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { uuidv7 } from '../../src/platform/ids.ts';
import { type AdsBench, openAdsBench } from '../support/ads.ts';
import type { AdsWorkerOrders } from '../support/ads-worker.ts';
import { waitFor } from '../support/wait-for.ts';
import { type AdsReference, makeAdsFile } from './ads-reference.ts';
import type { Counts } from './auditor.ts';
import { type Ground, openChaosServer } from './ground.ts';
import { type Random, randomFrom } from './random.ts';
import { noCounts } from './suites/suite.ts';

export interface AdsChaosOptions {
  readonly seed: number;
  readonly kills: number;
  readonly say: (line: string) => void;
}

export interface AdsChaosResult {
  readonly dose: {
    readonly uploads: number;
    readonly kills: number;
    /** Deaths by name of the failpoint; workers that were killed before they came to theirs do not count. */
    readonly failpoints: Readonly<Record<string, number>>;
    readonly serverStops: number;
  };
  readonly counts: Counts;
  readonly findings: readonly string[];
}

interface Uploaded {
  readonly tenantId: string;
  readonly runId: string;
  readonly reference: AdsReference;
}

const SETTINGS = { leaseMs: 3_000, heartbeatMs: 1_000, pollMs: 50 };
const DEPS = { batchBytes: 8_000, flushRows: 200, promotionRows: 200 };
const WORKERS = 2;
const KILLS_PER_UPLOAD = 6;
const KILLS_PER_SERVER_STOP = 12;
/** From this dose on, workers also die at every failpoint, each over an upload of its own; with no kills at all, they do only that. */
const FULL_DOSE_KILLS = 60;
const DEATHS_PER_FAILPOINT = 3;
/** Ends what cannot succeed; a busy machine needs minutes for an upload, and its verdict is the same. */
const DEATH_MS = 300_000;
const END_MS = 180_000;
const program = fileURLToPath(new URL('../support/ads-worker.ts', import.meta.url));
const boundaries = [
  'claim.after_commit',
  'stage.first_byte:4',
  'commit.after_fence:6',
  'commit.after_effects:9',
  'commit.after_checkpoint:12',
  'commit.after_commit:5',
  'finish.before_commit',
  'finish.after_commit',
];

export async function runAdsChaos({ seed, kills, say }: AdsChaosOptions): Promise<AdsChaosResult> {
  const random = randomFrom(seed);
  const server = await openChaosServer();
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-ads-chaos-'));
  try {
    const ground = await server.ground(SETTINGS);
    const bench = await openAdsBench(ground.appUrl, { folder, settings: SETTINGS });
    const uploads = await upload(bench, random, Math.max(3, Math.ceil(kills / KILLS_PER_UPLOAD)));
    const crew = new Crew({ url: ground.appUrl, folder, deps: DEPS }, random);
    let serverStops = 0;
    for (let kill = 1; kill <= kills; kill++) {
      crew.fill();
      await pause(random.between(300, 2_500));
      if (kill % KILLS_PER_SERVER_STOP === 0) {
        server.stopImmediately();
        serverStops++;
      }
      crew.killOne();
      if (kill % 10 === 0) say(`${kill} of ${kills} kills`);
    }
    crew.clear();
    await waitFor(() => ground.ask('select 1'), {
      everyMs: 100,
      what: 'the server to answer again',
    });
    const unreached: string[] = [];
    const rounds = kills === 0 || kills >= FULL_DOSE_KILLS ? DEATHS_PER_FAILPOINT : 0;
    for (let round = 0; round < rounds; round++) {
      // One after the other: two at once, and the first claims both uploads.
      for (const failpoint of boundaries) {
        uploads.push(...(await upload(bench, random, 1)));
        if (!(await crew.dieAt(failpoint))) unreached.push(failpoint);
      }
      say(`every failpoint, round ${round + 1} of ${rounds}`);
    }
    crew.keep();
    const { counts, findings } = await audit(ground, uploads);
    await crew.end();
    await bench.close();
    await ground.close();
    for (const failpoint of unreached) findings.push(`wrong: no worker died at ${failpoint}, which proves nothing`);
    for (const finding of findings) say(finding);
    return {
      dose: { uploads: uploads.length, kills, failpoints: crew.deaths, serverStops },
      counts: { ...counts, wrong: counts.wrong + unreached.length },
      findings,
    };
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function upload(bench: AdsBench, random: Random, count: number): Promise<Uploaded[]> {
  const uploads: Uploaded[] = [];
  for (let i = 0; i < count; i++) {
    const { text, reference } = makeAdsFile(random);
    const tenantId = uuidv7();
    uploads.push({ tenantId, reference, runId: await bench.submit(tenantId, text) });
  }
  return uploads;
}

/** Two workers at a time. Every third of them carries a failpoint and dies there by itself; the others are killed. */
class Crew {
  readonly #orders: AdsWorkerOrders;
  readonly #random: Random;
  #members: ChildProcess[] = [];
  #hired = 0;
  readonly #killed = new WeakSet<ChildProcess>();
  readonly deaths: Record<string, number> = {};

  constructor(orders: AdsWorkerOrders, random: Random) {
    this.#orders = orders;
    this.#random = random;
  }

  fill(armed = true): void {
    this.#members = this.#members.filter(isAlive);
    while (this.#members.length < WORKERS) {
      this.#hired++;
      const failpoint = armed && this.#hired % 3 === 0 ? this.#random.pick(boundaries) : undefined;
      this.#members.push(this.#hire(failpoint));
    }
  }

  killOne(): void {
    const victims = this.#members.filter(isAlive);
    if (victims.length > 0) this.#kill(this.#random.pick(victims));
  }

  /** A worker that works until it dies at its failpoint; false when it did not get there. */
  async dieAt(failpoint: string): Promise<boolean> {
    const worker = this.#hire(failpoint);
    const exit = new Promise<boolean>((resolve) => worker.once('exit', (_, signal) => resolve(signal === 'SIGKILL')));
    const died = await Promise.race([exit, pause(DEATH_MS, false)]);
    if (!died) this.#kill(worker);
    return died;
  }

  clear(): void {
    for (const member of this.#members) this.#kill(member);
    this.#members = [];
  }

  /** From now on nobody is killed: whoever is gone is replaced, unarmed, until the end. */
  keep(): void {
    this.clear();
    this.fill(false);
  }

  #hire(failpoint: string | undefined): ChildProcess {
    const orders = failpoint === undefined ? this.#orders : { ...this.#orders, failpoint };
    const child = fork(program, [JSON.stringify(orders)], { execArgv: ['--import', 'tsx'], stdio: 'ignore' });
    if (failpoint !== undefined)
      child.once('exit', (_, signal) => {
        if (signal === 'SIGKILL' && !this.#killed.has(child))
          this.deaths[failpoint] = (this.deaths[failpoint] ?? 0) + 1;
      });
    return child;
  }

  #kill(child: ChildProcess): void {
    this.#killed.add(child);
    child.kill('SIGKILL');
  }

  async end(): Promise<void> {
    for (const member of this.#members.filter(isAlive)) {
      member.kill('SIGTERM');
      await Promise.race([new Promise((resolve) => member.once('exit', resolve)), pause(5_000)]);
      member.kill('SIGKILL');
    }
  }
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

async function audit(ground: Ground, uploads: readonly Uploaded[]): Promise<{ counts: Counts; findings: string[] }> {
  const counts = { ...noCounts };
  const findings: string[] = [];
  const found = (kind: keyof Counts, what: string, times = 1) => {
    counts[kind] += times;
    findings.push(`${kind}: ${what}`);
  };
  const deadline = Date.now() + END_MS;
  for (const { tenantId, runId, reference } of uploads) {
    const run = await ended(ground, runId, deadline);
    if (run === undefined) {
      found('stuck', `upload ${runId} did not end`);
      continue;
    }
    if (run.status !== 'completed') {
      found('lost', `upload ${runId} ended ${run.status}: ${run.error_text}`);
      continue;
    }
    await compareRows(ground, tenantId, runId, reference, found);
    const [receipt, expected] = [inOrder(run.receipt.outcomes), inOrder(reference.outcomes)];
    if (receipt !== expected) found('wrong', `upload ${runId}: receipt ${receipt}, expected ${expected}`);
  }
  const [left] = await ground.ask<{ leases: number; ready: number }>(
    `select (select count(*)::int from engine.leases) as leases, (select count(*)::int from engine.ready) as ready`,
  );
  if ((left?.leases ?? 0) + (left?.ready ?? 0) > 0) found('orphans', `${JSON.stringify(left)} left behind`);
  return { counts, findings };
}

function inOrder(outcomes: Readonly<Record<string, number>>): string {
  return JSON.stringify(Object.entries(outcomes).sort());
}

interface EndedRun extends Record<string, unknown> {
  readonly status: string;
  readonly error_text: string | null;
  readonly receipt: { readonly outcomes: Record<string, number> };
}

async function ended(ground: Ground, runId: string, deadline: number): Promise<EndedRun | undefined> {
  for (;;) {
    const [run] = await ground.ask<EndedRun>(
      `select status, error_text, receipt from engine.runs where id = $1 and finished_at is not null`,
      [runId],
    );
    if (run !== undefined || Date.now() > deadline) return run;
    await pause(200);
  }
}

async function compareRows(
  ground: Ground,
  tenantId: string,
  runId: string,
  reference: AdsReference,
  found: (kind: keyof Counts, what: string, times?: number) => void,
): Promise<void> {
  const rows = await ground.ask<{ key: string; value: string; n: number }>(
    `select metric_date || '/' || ad_external_id as key, min(spend::text || '/' || impressions || '/' || clicks) as value, count(*)::int as n
     from daily_metrics where workspace_id = $1 group by 1`,
    [tenantId],
  );
  const stored = new Map(rows.map(({ key, value }) => [key, value]));
  const missing = [...reference.rows.keys()].filter((key) => !stored.has(key)).length;
  const wrong = rows.filter(({ key, value }) => reference.rows.get(key) !== value).length;
  const twice = rows.filter(({ n }) => n > 1).length;
  if (missing > 0) found('lost', `upload ${runId}: ${missing} rows are missing`, missing);
  if (wrong > 0) found('wrong', `upload ${runId}: ${wrong} rows have other values`, wrong);
  if (twice > 0) found('duplicated', `upload ${runId}: ${twice} rows are there twice`, twice);
  const [told] = await ground.ask<{ events: number; rejects: number }>(
    `select (select count(*)::int from engine.events where run_id = $1 and type = 'IngestionCompleteEvent') as events,
            (select count(*)::int from engine.rejects where run_id = $1) as rejects`,
    [runId],
  );
  if (told?.events !== 1)
    found(told?.events === 0 ? 'lost' : 'duplicated', `upload ${runId}: ${told?.events} completion events`);
  const rejects = reference.outcomes.rejected ?? 0;
  if (told?.rejects !== rejects)
    found(
      (told?.rejects ?? 0) < rejects ? 'lost' : 'duplicated',
      `upload ${runId}: ${told?.rejects} rejects, expected ${rejects}`,
    );
}
