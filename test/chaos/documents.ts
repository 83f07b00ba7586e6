// Kills workers in every part of a document and around its activation, and stops the database now and then, while sources are observed
// again and again: other text, a deactivation, the same text once more. Versions overtake each other all the time. What must hold is
// counted by documents-audit.ts from a list of what was acknowledged. A third of the sources are PDFs; what was stored of them is compared with what
// an undisturbed reader finds (documents-reread.ts).
//
//   npm run chaos -- documents --seed 7 --kills 100

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../../src/engine/engine.ts';
import type { DocumentsDeps } from '../../src/pipelines/documents/deps.ts';
import { documentsPipeline } from '../../src/pipelines/documents/documents.pipeline.ts';
import { documentsDeps } from '../support/documents-deps.ts';
import { buildEngine } from '../support/engine.ts';
import { programFile } from '../support/programs.ts';
import type { Counts } from './auditor.ts';
import { dismissAll } from './dismiss.ts';
import { auditDocuments } from './documents-audit.ts';
import { type Acknowledged, openObserver } from './documents-observer.ts';
import { readAgain } from './documents-reread.ts';
import { type ChaosServer, type Ground, openChaosServer, patienceMs } from './ground.ts';
import { type Random, randomFrom } from './random.ts';

export interface DocumentsDose {
  readonly seed: number;
  readonly kills: number;
  readonly workers: number;
  /** Times the database is stopped at once. */
  readonly stops: number;
}

export interface DocumentsResult {
  readonly dose: DocumentsDose;
  readonly counts: Counts;
  readonly findings: readonly string[];
  readonly details: {
    readonly acknowledged: number;
    readonly killed: number;
    /** By the part the worker was in when it died. */
    readonly inParts: Readonly<Record<string, number>>;
    readonly stops: number;
    /** Versions whose pages were compared with those of an undisturbed reader. */
    readonly readAgain: number;
  };
}

/**
 * How runs reach their workers. The ledger needs nothing; a transport that delivers messages gives its workers further orders, is told of
 * each run that was accepted, and may lose, repeat and reorder what it carries.
 */
export interface Transport {
  readonly orders: Readonly<Record<string, unknown>>;
  /** What the pipeline is built with, here and in the workers. */
  readonly deps: Partial<Pick<DocumentsDeps, 'overdueAfterMs'>>;
  /** Called once, before the first upload. */
  open(engine: Engine, deps: DocumentsDeps): Promise<void>;
  accepted(runId: string): Promise<void>;
  /** Called between the kills. */
  disturb(random: Random): Promise<void>;
  /** No more faults: what was held back is sent. */
  calm(): Promise<void>;
  /** What did not happen, though the suite is about it. */
  missing(): readonly string[];
  close(): Promise<void>;
}

const nothing = async () => undefined;
const ledger: Transport = {
  orders: {},
  deps: {},
  ...{ open: nothing, accepted: nothing, disturb: nothing, calm: nothing, close: nothing },
  missing: () => [],
};

const settings = { leaseMs: 1_500, heartbeatMs: 400, pollMs: 50, concurrency: 2, lostLimit: 10_000 };
const parts = { pagesPerPart: 2, passagesPerPart: 4 };
const partNames = ['pages', 'chunks', 'vectors', 'terms', 'activate', 'done'] as const;
/** Where a worker dies: at a commit of one of its parts, at its end, or at any moment. */
const failpoints = ['commit.after_effects', 'commit.after_checkpoint', 'commit.after_commit', 'finish.before_commit'];
/** Kills after which every part must have been struck. */
const KILLS_FOR_EVERY_PART = 40;

export async function runDocumentsChaos(
  dose: DocumentsDose,
  { server, transport = ledger }: { readonly server?: ChaosServer; readonly transport?: Transport } = {},
): Promise<DocumentsResult> {
  const own = server ?? (await openChaosServer());
  const random = randomFrom(dose.seed);
  const ground = await own.ground(settings);
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-documents-chaos-'));
  const deps = documentsDeps(folder, { ...parts, ...transport.deps });
  const engine = await buildEngine(ground.appUrl, [documentsPipeline(deps)]);
  await transport.open(engine, deps);
  const crew = new Crew(ground, folder, random, dose.kills, transport);
  const acknowledged: Acknowledged[] = [];
  let stops = 0;
  const observer = await openObserver(engine, ground.appUrl, folder, random);
  try {
    for (let number = 0; number < dose.workers; number += 1) crew.hire();
    const deadline = Date.now() + 120_000 + dose.kills * 20_000 + patienceMs;
    // As long as kills are left there is work: else the last ones would strike idle workers.
    const isDone = () => crew.killed >= dose.kills && stops >= dose.stops && transport.missing().length === 0;
    while (Date.now() < deadline && !isDone()) {
      if ((await waiting(ground)) < 8) {
        const made = await observer.act();
        if (made !== undefined) acknowledged.push(made);
        if (made?.runId !== undefined) await transport.accepted(made.runId);
      } else await pause(random.between(20, 80));
      if (stops < dose.stops && crew.killed >= (dose.kills * (stops + 1)) / (dose.stops + 1)) {
        own.stopImmediately();
        stops += 1;
      }
      await transport.disturb(random);
      if (random.chance(0.02)) crew.killOne();
    }
    crew.calm();
    await transport.calm();
    await ground.settle(30_000);
    const { counts, findings } = await auditDocuments(ground, acknowledged);
    const reread = await readAgain(ground, deps);
    const missing = [...missingWork(dose, { acknowledged, crew, stops }), ...transport.missing(), ...reread.findings];
    return {
      dose,
      counts: { ...counts, wrong: counts.wrong + missing.length },
      findings: [...findings, ...missing],
      details: {
        ...{ acknowledged: acknowledged.length, killed: crew.killed, inParts: crew.inParts, stops },
        readAgain: reread.versions,
      },
    };
  } finally {
    await crew.dismiss();
    await observer.close();
    await engine.close();
    await transport.close();
    await ground.close();
    rmSync(folder, { recursive: true, force: true });
    if (server === undefined) await own.close();
  }
}

/** A suite in which too little happened has proved nothing. */
function missingWork(
  dose: DocumentsDose,
  { acknowledged, crew, stops }: { acknowledged: readonly Acknowledged[]; crew: Crew; stops: number },
): string[] {
  const missing: string[] = [];
  if (crew.killed < dose.kills) missing.push(`proves nothing: ${crew.killed} of ${dose.kills} kills`);
  if (stops < dose.stops) missing.push(`proves nothing: ${stops} of ${dose.stops} stops of the database`);
  if (acknowledged.length < Math.max(5, dose.kills / 2))
    missing.push(`proves nothing: only ${acknowledged.length} uploads were acknowledged`);
  if (dose.kills >= KILLS_FOR_EVERY_PART)
    for (const part of partNames)
      if ((crew.inParts[part] ?? 0) === 0) missing.push(`proves nothing: no worker died in the part "${part}"`);
  return missing;
}

async function waiting(ground: Ground): Promise<number> {
  const [row] = await ground.ask<{ left: number }>(
    `select count(*)::int as left from engine.runs where finished_at is null`,
  );
  return row?.left ?? 0;
}

class Crew {
  killed = 0;
  readonly inParts: Record<string, number> = {};
  readonly #members = new Set<ChildProcess>();
  readonly #ground: Ground;
  readonly #folder: string;
  readonly #random: Random;
  readonly #kills: number;
  readonly #transport: Transport;
  readonly #noting = new Set<Promise<void>>();
  #isOpen = true;
  #isCalm = false;

  constructor(ground: Ground, folder: string, random: Random, kills: number, transport: Transport) {
    this.#ground = ground;
    this.#folder = folder;
    this.#random = random;
    this.#kills = kills;
    this.#transport = transport;
  }

  hire(): void {
    const random = this.#random;
    const mayDie = !this.#isCalm && this.killed < this.#kills;
    const failpoint = mayDie ? `${random.pick(failpoints)}:${random.between(1, 20)}` : undefined;
    const orders = {
      ...{ url: this.#ground.appUrl, folder: this.#folder, settings, failpoint },
      deps: { ...parts, ...this.#transport.deps },
      ...this.#transport.orders,
    };
    const child = spawn(process.execPath, [programFile('test/support/documents-worker.ts'), JSON.stringify(orders)], {
      stdio: 'ignore',
    });
    this.#members.add(child);
    child.once('exit', (_, signal) => {
      this.#members.delete(child);
      if (!this.#isOpen) return;
      if (signal === 'SIGKILL') this.#note(child.pid ?? 0);
      this.hire();
    });
  }

  killOne(): void {
    if (this.killed < this.#kills) [...this.#members][0]?.kill('SIGKILL');
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

  /** Its leases stand until they expire: the checkpoints of their runs say where it died. One that held nothing is no kill. */
  #note(pid: number): void {
    const noting = this.#ground
      .ask<{ step: string }>(
        `select coalesce(c.state ->> 'step', 'pages') as step
         from engine.workers w
         join engine.leases l on l.worker_id = w.worker_id
         left join engine.checkpoints c on c.run_id = l.run_id
         where w.pid = $1 and l.began`,
        [pid],
      )
      .then((rows) => {
        if (rows.length > 0) this.killed += 1;
        for (const { step } of rows) this.inParts[step] = (this.inParts[step] ?? 0) + 1;
      })
      .catch(() => undefined)
      .finally(() => this.#noting.delete(noting));
    this.#noting.add(noting);
  }
}
