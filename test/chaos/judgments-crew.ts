// The workers of the judgments suite. Most of them die at the boundary they were given, others are killed or frozen at any moment; each is
// replaced at once. Only a death with a batch in hand counts.
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { EngineSettings } from '../../src/engine/settings.ts';
import type { Failpoint } from '../../src/platform/failpoints.ts';
import { programFile } from '../support/programs.ts';
import type { Ground } from './ground.ts';
import type { Random } from './random.ts';

/** Every boundary that a batch crosses, and how often a worker may pass it before it dies there. */
export const boundaries: readonly { readonly name: Failpoint; readonly passes: number }[] = [
  { name: 'claim.after_commit', passes: 2 },
  { name: 'stage.begin', passes: 2 },
  { name: 'stage.first_byte', passes: 6 },
  { name: 'commit.after_fence', passes: 20 },
  { name: 'commit.after_effects', passes: 20 },
  { name: 'commit.after_checkpoint', passes: 20 },
  { name: 'commit.after_commit', passes: 20 },
  { name: 'finish.before_commit', passes: 2 },
  { name: 'finish.after_commit', passes: 2 },
];

export interface CrewOptions {
  readonly ground: Ground;
  readonly folder: string;
  readonly settings: Partial<EngineSettings>;
  readonly random: Random;
  readonly kills: number;
  readonly freezes: number;
  /** Whether somebody must have died at each boundary. */
  readonly everywhere: boolean;
}

/** Small, so that a batch of some hundred rows is many transactions. */
const deps = { batchBytes: 2_000, flushRows: 50, loadRows: 100 };
/** Longer than two leases: its batch is somebody else's by then. */
const FROZEN_MS = 3_500;

export class JudgmentsCrew {
  killed = 0;
  frozen = 0;
  readonly byPoint: Record<string, number> = {};
  readonly #options: CrewOptions;
  readonly #members = new Set<ChildProcess>();
  readonly #pending = new Set<Promise<unknown>>();
  #isOpen = true;
  #isCalm = false;

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  isDone(): boolean {
    const { kills, freezes } = this.#options;
    return this.killed >= kills && this.frozen >= freezes && this.#left().length === 0;
  }

  hire(): void {
    const { ground, folder, settings, random } = this.#options;
    const left = this.#left();
    const { name, passes } = random.pick(left.length > 0 ? left : boundaries);
    const mayDie = !this.#isCalm && !this.isDone() && random.chance(0.7);
    const orders = {
      ...{ url: ground.appUrl, folder, deps, settings, services: true },
      ...(mayDie ? { failpoint: `${name}:${random.between(1, passes)}` } : {}),
    };
    const child = spawn(process.execPath, [programFile('test/support/judgments-worker.ts'), JSON.stringify(orders)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.#members.add(child);
    child.once('exit', (_, signal) => {
      this.#members.delete(child);
      if (!this.#isOpen) return;
      if (signal === 'SIGKILL' && mayDie && !this.#isCalm) this.#after(this.#note(child, name));
      this.hire();
    });
  }

  /** Kills and freezes workers in the middle of a batch, and waits until those that were frozen have gone on for a while. */
  async disturbUntil(isThrough: () => boolean): Promise<void> {
    const { random, kills, freezes } = this.#options;
    while (!isThrough()) {
      await pause(random.between(100, 500));
      const victim = await this.#atWork();
      if (victim === undefined) continue;
      if (this.frozen < freezes && random.chance(0.3)) {
        this.frozen += 1;
        victim.kill('SIGSTOP');
        this.#after(pause(FROZEN_MS).then(() => victim.kill('SIGCONT')));
      } else if (this.killed < kills && random.chance(0.25)) {
        this.#count('anywhere');
        victim.kill('SIGKILL');
      }
    }
    await Promise.all(this.#pending);
  }

  /** No more faults: whoever is armed makes room for somebody who is not. */
  calm(): void {
    this.#isCalm = true;
    for (const member of this.#members) member.kill('SIGKILL');
  }

  async dismiss(): Promise<void> {
    this.#isOpen = false;
    const gone = [...this.#members].map((child) => new Promise((resolve) => child.once('exit', resolve)));
    for (const child of this.#members) child.kill('SIGKILL');
    await Promise.all([...gone, ...this.#pending]);
  }

  #left() {
    return this.#options.everywhere ? boundaries.filter(({ name }) => (this.byPoint[name] ?? 0) === 0) : [];
  }

  #count(point: string): void {
    this.killed += 1;
    this.byPoint[point] = (this.byPoint[point] ?? 0) + 1;
  }

  #after(work: Promise<unknown>): void {
    const pending = work.finally(() => this.#pending.delete(pending));
    this.#pending.add(pending);
  }

  /** Its leases stand until they expire. After the end of a batch there is none: that it died there is enough. */
  async #note(child: ChildProcess, point: Failpoint): Promise<void> {
    if (point === 'finish.after_commit' || (await this.#pidsAtWork()).includes(child.pid ?? 0)) this.#count(point);
  }

  async #atWork(): Promise<ChildProcess | undefined> {
    const pids = await this.#pidsAtWork();
    const members = [...this.#members].filter(({ pid }) => pids.includes(pid ?? 0));
    return members.length === 0 ? undefined : this.#options.random.pick(members);
  }

  async #pidsAtWork(): Promise<readonly number[]> {
    const rows = await this.#options.ground.ask<{ pid: number }>(
      `select distinct w.pid from engine.workers w join engine.leases l on l.worker_id = w.worker_id`,
    );
    return rows.map(({ pid }) => pid);
  }
}
