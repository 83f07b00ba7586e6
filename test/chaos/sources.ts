// Syncs a bucket again and again while it changes, while workers are killed at every boundary of a sync, and while the server hangs up,
// fails and throttles. Each round changes the bucket and waits for a sync that saw it, so that every version that was put is observed
// exactly once: it must have exactly one run, and the receipts of the syncs must add up to exactly these changes.
//
//   npm run chaos -- sources --seed 7 --kills 100

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { Wish } from '../../src/pipelines/sources/set-up.ts';
import { saveSource } from '../../src/pipelines/sources/set-up.ts';
import { startSync } from '../../src/pipelines/sources/start-sync.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { programFile } from '../support/programs.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { openSourcesEngine } from '../support/sources-engine.ts';
import type { Counts } from './auditor.ts';
import { dismissAll } from './dismiss.ts';
import { type ChaosServer, type Ground, openChaosServer, patienceMs } from './ground.ts';
import { type Random, randomFrom } from './random.ts';
import { auditSources, type Happened } from './sources-audit.ts';

export interface SourcesDose {
  readonly seed: number;
  readonly kills: number;
  readonly workers: number;
  /** Objects in the bucket at the beginning. */
  readonly objects: number;
  /** Failpoints that must each have killed a worker that was in a sync; empty: whichever come. */
  readonly points?: readonly string[];
  /** Told after each round. */
  readonly say?: (line: string) => void;
}

export interface SourcesResult {
  readonly dose: SourcesDose;
  readonly counts: Counts;
  readonly findings: readonly string[];
  readonly details: {
    readonly rounds: number;
    readonly versions: number;
    readonly vanished: number;
    readonly faults: number;
    readonly killed: number;
    readonly byPoint: Readonly<Record<string, number>>;
  };
}

const settings = { leaseMs: 1_500, heartbeatMs: 400, pollMs: 50, concurrency: 4, lostLimit: 10_000 };

const SETTLE_SECONDS = 2;

/** Every boundary that a sync crosses. */
export const syncPoints = [
  'claim.after_commit',
  'stage.begin',
  'commit.after_fence',
  'commit.after_effects',
  'commit.after_checkpoint',
  'commit.after_commit',
  'blob.after_write',
  'blob.after_rename',
  'enqueue.before_commit',
  'enqueue.after_commit',
  'sync.after_take',
  'sync.after_settled',
  'sync.after_withdraw',
  'sync.before_put_away',
  'finish.before_commit',
  'finish.after_commit',
] as const;

/** Met at most once in a sync. */
const once = new Set<string>(['sync.after_settled', 'sync.after_withdraw', 'claim.after_commit', 'stage.begin']);

export async function runSourcesChaos(dose: SourcesDose, server?: ChaosServer): Promise<SourcesResult> {
  const own = server ?? (await openChaosServer());
  const random = randomFrom(dose.seed);
  const ground = await own.ground(settings);
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-sources-chaos-'));
  const bucket = await startS3Server();
  const { engine, deps, store } = await openSourcesEngine(ground.appUrl, folder, {}, {}, { retriesSoon: true });
  const crew = new Crew(ground, folder, random, dose);
  const [tenantId, sourceId] = [uuidv7(), uuidv7()];
  await ground.ask(`insert into tenants (tenant_id, name) values ($1, 'chaos')`, [tenantId]);
  await saveSource(deps, tenantId, sourceId, wishFor(bucket), { createdBy: null });
  const world = new World(bucket, random);
  try {
    for (let number = 0; number < dose.objects; number += 1) await world.add();
    for (let number = 0; number < dose.workers; number += 1) crew.hire();
    const deadline = Date.now() + 120_000 + dose.kills * 6_000 + patienceMs;
    let rounds = 0;
    for (;;) {
      // Also at the end of its time with a sync that nobody disturbs: what was put last was not lost, it was not looked at.
      const isEnough = (crew.isDone() && rounds >= 3) || Date.now() > deadline;
      if (isEnough) crew.calm();
      world.disturb();
      // In every other round what was just put may still be growing: the same sync waits, looks at it again and takes it.
      await ground.ask(`update ingestion_sources set settle_seconds = $2 where source_id = $1`, [
        sourceId,
        rounds % 2 === 1 ? SETTLE_SECONDS : 0,
      ]);
      await looked(
        ground,
        () => startSync(engine, { tenant_id: tenantId, source_id: sourceId, name: 'chaos' }, { trigger: 'person' }),
        tenantId,
      );
      rounds += 1;
      dose.say?.(`round ${rounds}: ${crew.killed} of ${dose.kills} kills`);
      bucket.heal();
      if (isEnough) break;
      await world.change();
    }
    await ground.settle(30_000);
    const happened: Happened = { ...world.happened(), tenantId, sourceId };
    const { counts, findings } = await auditSources(ground, happened);
    const missing = missingWork(dose, crew, rounds, world.faults);
    return {
      dose,
      counts: { ...counts, wrong: counts.wrong + missing.length },
      findings: [...findings, ...missing],
      details: {
        rounds,
        versions: happened.versions.length,
        vanished: happened.vanished,
        faults: world.faults,
        killed: crew.killed,
        byPoint: crew.byPoint,
      },
    };
  } finally {
    await crew.dismiss();
    await engine.close();
    await store.close();
    world.close();
    await bucket.close();
    await ground.close();
    rmSync(folder, { recursive: true, force: true });
    if (server === undefined) await own.close();
  }
}

/** Asks for syncs until one that began now has taken in everything. One that failed, or could not read an object, is followed by the next. */
async function looked(
  ground: Ground,
  ask: () => Promise<{ id: string; created: boolean }>,
  tenantId: string,
): Promise<void> {
  for (;;) {
    const { id, created } = await ask().catch(() => ({ id: '', created: false }));
    if (id === '') continue;
    const end = await endOf(ground, tenantId, id);
    if (created && end.status === 'synced' && end.settling === 0) return;
  }
}

/** A sync may meet as many kills as there are boundaries, each with a process that starts again: it is waited for as long as something becomes of it. */
async function endOf(ground: Ground, tenantId: string, id: string): Promise<{ status: string; settling: number }> {
  let seen = '';
  let since = performance.now();
  for (;;) {
    const [run] = await ground.ask<SyncFacts>(
      `select status, coalesce((receipt ->> 'settling')::int, 0) as settling, finished_at is not null as ended,
              attempt, phase, failures, held_at, wait_reason, error_code, updated_at, engine.now() as now
       from engine.runs where tenant_id = $1 and id = $2`,
      [tenantId, id],
    );
    if (run?.ended === true) return run;
    const state = `${run?.attempt} ${run?.updated_at.getTime()}`;
    if (state !== seen) since = performance.now();
    seen = state;
    // Whether it waits, is killed again and again or hangs: its row tells.
    if (performance.now() - since > 120_000 + patienceMs)
      throw new Error(`sync ${id} has no end: ${JSON.stringify(run)}`);
    await pause(50);
  }
}

interface SyncFacts {
  readonly status: string;
  readonly settling: number;
  readonly ended: boolean;
  readonly attempt: number;
  readonly updated_at: Date;
}

function missingWork(dose: SourcesDose, crew: Crew, rounds: number, faults: number): string[] {
  const missing: string[] = [];
  if (crew.killed < dose.kills) missing.push(`proves nothing: ${crew.killed} of ${dose.kills} kills`);
  if (rounds < 3) missing.push(`proves nothing: ${rounds} rounds`);
  if (faults < Math.min(3, rounds)) missing.push(`proves nothing: ${faults} faults of the server`);
  for (const point of dose.points ?? [])
    if ((crew.byPoint[point] ?? 0) === 0) missing.push(`proves nothing: no worker died at ${point}`);
  return missing;
}

function wishFor(bucket: S3Server): Wish {
  return {
    name: 'chaos',
    pipeline: 'ads',
    place: { kind: 's3', bucket: bucket.bucket, region: 'us-east-1', endpoint: bucket.endpoint },
    credential: { access_key_id: 'test', secret_access_key: 'test' },
    fields: { platform: 'meta' },
    title_pattern: null,
    prefix: '',
    include: [],
    exclude: [],
    max_bytes: null,
    after_taken: 'tag',
    settle_seconds: 0,
    cron: null,
    time_zone: 'UTC',
    jitter_seconds: 0,
    stale_after_seconds: 86_400,
    queue_url: null,
    paused: false,
  };
}

/** The bucket, and a list of what happened in it. */
class World {
  faults = 0;
  readonly #bucket: S3Server;
  readonly #client: S3Client;
  readonly #random: Random;
  readonly #there = new Map<string, string>();
  readonly #gone = new Map<string, string>();
  readonly #versions: { key: string; content: string }[] = [];
  #vanished = 0;
  #made = 0;

  constructor(bucket: S3Server, random: Random) {
    this.#bucket = bucket;
    this.#random = random;
    this.#client = new S3Client({
      endpoint: bucket.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      forcePathStyle: true,
      maxAttempts: 10,
    });
  }

  async add(): Promise<void> {
    this.#made += 1;
    await this.#put(`in/${String(this.#made).padStart(4, '0')}.csv`, this.#content());
  }

  /** Less than a fifth vanishes, so that nobody is asked. */
  async change(): Promise<void> {
    const keys = [...this.#there.keys()];
    const chosen = new Set(Array.from({ length: 3 }, () => this.#random.pick(keys)));
    for (const key of chosen) await this.#put(key, this.#content());
    const victim = keys.find((key) => !chosen.has(key));
    const [back] = this.#gone;
    await this.add();
    if (victim !== undefined && this.#random.chance(0.7)) await this.#remove(victim);
    // The very same bytes at their old place: they are observed as new.
    if (back !== undefined && back[0] !== victim && this.#random.chance(0.6)) await this.#put(back[0], back[1]);
  }

  /** What the server does to the next sync. */
  disturb(): void {
    const url = /in%2F|\/in\/|list-type/;
    const act = this.#random.pick([
      { status: 500, code: 'InternalError' },
      { status: 503, code: 'SlowDown' },
      'hang-up',
      'hang-up-after',
    ] as const);
    this.#bucket.fail({ method: 'GET', url, times: this.#random.between(1, 4), act });
    this.faults += 1;
  }

  happened() {
    return {
      versions: [...this.#versions],
      vanished: this.#vanished,
      there: new Map(this.#there),
      gone: new Set(this.#gone.keys()),
      untagged: [...this.#there.keys()].filter((key) => this.#bucket.tagsOf(key).millrace !== 'taken'),
    };
  }

  close(): void {
    this.#client.destroy();
  }

  #content(): string {
    this.#made += 1;
    const row = `2026-03-01,Spring,12021${String(this.#made).padStart(8, '0')},12.50,1000,10`;
    return `Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Link clicks\n${row}\n`;
  }

  async #put(key: string, content: string): Promise<void> {
    await this.#client.send(new PutObjectCommand({ Bucket: this.#bucket.bucket, Key: key, Body: content }));
    this.#there.set(key, content);
    this.#gone.delete(key);
    this.#versions.push({ key, content });
  }

  async #remove(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket.bucket, Key: key }));
    this.#gone.set(key, this.#there.get(key) ?? '');
    this.#there.delete(key);
    this.#vanished += 1;
  }
}

class Crew {
  killed = 0;
  readonly byPoint: Record<string, number> = {};
  readonly #members = new Set<ChildProcess>();
  readonly #ground: Ground;
  readonly #folder: string;
  readonly #random: Random;
  readonly #dose: SourcesDose;
  readonly #noting = new Set<Promise<void>>();
  #isOpen = true;
  #isCalm = false;

  constructor(ground: Ground, folder: string, random: Random, dose: SourcesDose) {
    this.#ground = ground;
    this.#folder = folder;
    this.#random = random;
    this.#dose = dose;
  }

  isDone(): boolean {
    return this.killed >= this.#dose.kills && this.#left().length === 0;
  }

  hire(): void {
    const random = this.#random;
    const mayDie = !this.#isCalm && !this.isDone();
    const left = this.#left();
    const point = left.length > 0 ? random.pick(left) : random.pick(syncPoints);
    // What a sync meets once is armed for that one time; what its files meet, too, for some time later.
    const failpoint = mayDie ? `${point}:${once.has(point) ? 1 : random.between(1, 4)}` : undefined;
    const orders = { url: this.#ground.appUrl, folder: this.#folder, settings, failpoint };
    const child = spawn(process.execPath, [programFile('test/support/sources-worker.ts'), JSON.stringify(orders)], {
      stdio: 'ignore',
    });
    this.#members.add(child);
    child.once('exit', (_, signal) => {
      this.#members.delete(child);
      if (!this.#isOpen) return;
      if (signal === 'SIGKILL' && failpoint !== undefined) this.#note(child.pid ?? 0, point);
      this.hire();
    });
  }

  /** No more faults: whoever is armed makes room for somebody who is not. */
  calm(): void {
    this.#isCalm = true;
    for (const member of this.#members) member.kill('SIGTERM');
  }

  async dismiss(): Promise<void> {
    this.#isOpen = false;
    await dismissAll(this.#members);
    await Promise.all(this.#noting);
  }

  #left(): string[] {
    return (this.#dose.points ?? []).filter((point) => (this.byPoint[point] ?? 0) === 0);
  }

  /** Its leases stand until they expire: only one that held a sync was killed in one. */
  #note(pid: number, point: string): void {
    const noting = this.#ground
      .ask<{ n: number }>(
        `select count(*)::int as n from engine.workers w
         join engine.leases l on l.worker_id = w.worker_id
         join engine.runs r on r.id = l.run_id and r.pipeline = 'sources'
         where w.pid = $1`,
        [pid],
      )
      .then(([row]) => {
        // After the end of a sync its lease is gone: that it died there is enough.
        if ((row?.n ?? 0) === 0 && point !== 'finish.after_commit') return;
        this.killed += 1;
        this.byPoint[point] = (this.byPoint[point] ?? 0) + 1;
      })
      .catch(() => undefined)
      .finally(() => this.#noting.delete(noting));
    this.#noting.add(noting);
  }
}
