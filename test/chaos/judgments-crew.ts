// The workers of the judgments suite. Most of them die at the boundary they were given, others are killed or frozen at any moment; each is
// replaced at once. Only a death with a batch in hand counts.

import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { EngineSettings } from '../../src/engine/settings.ts';
import type { Failpoint } from '../../src/platform/failpoints.ts';
import { programFile } from '../support/programs.ts';
import { dismissAll } from './dismiss.ts';
import type { Ground } from './ground.ts';
import type { Random } from './random.ts';

/** Every boundary that a batch crosses, and how often a worker may pass it before it dies there. */
export const boundaries: readonly { readonly name: Failpoint; readonly passes: number }[] = [
  { name: 'claim.after_commit', passes: 2 },
  { name: 'stage.begin', passes: 2 },
  { name: 'stage.first_byte', passes: 6 },
  { name: 'commit.after_fence', passes: 40 },
  { name: 'commit.after_effects', passes: 40 },
  { name: 'commit.after_checkpoint', passes: 40 },
  { name: 'commit.after_commit', passes: 40 },
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
  /** Deaths with a batch half read, and as many with one half stored. */
  readonly halfway: number;
  /** Whether somebody must have died at each boundary. */
  readonly everywhere: boolean;
}

/** begun: nothing of the batch is in the database · reading: rows are staged · storing: cases are stored. */
type Step = 'begun' | 'reading' | 'storing';

/** Small, so that a batch of some hundred rows is many transactions, and of a thousand several lanes. */
const deps = { batchBytes: 2_000, flushRows: 50, loadRows: 20, laneRows: 400 };
/** Longer than two leases: its batch is somebody else's by then. */
const FROZEN_MS = 3_500;

export class JudgmentsCrew {
  killed = 0;
  frozen = 0;
  readonly byPoint: Record<string, number> = {};
  /** Deaths by what the batch in hand had come to. */
  readonly byStep: Record<Step, number> = { begun: 0, reading: 0, storing: 0 };
  readonly #options: CrewOptions;
  readonly #members = new Set<ChildProcess>();
  readonly #pending = new Set<Promise<unknown>>();
  #isOpen = true;
  #isCalm = false;

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  isDone(): boolean {
    const { kills, freezes, halfway } = this.#options;
    const { reading, storing } = this.byStep;
    const isKilled = this.killed >= kills && reading >= halfway && storing >= halfway;
    return isKilled && this.frozen >= freezes && this.#left().length === 0;
  }

  hire(): void {
    const { ground, folder, settings, random } = this.#options;
    const left = this.#left();
    const { name, passes } = random.pick(left.length > 0 ? left : boundaries);
    const isWanted = this.killed < this.#options.kills || left.length > 0;
    const mayDie = !this.#isCalm && isWanted && random.chance(0.7);
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
    const { random, freezes } = this.#options;
    while (!isThrough()) {
      await pause(random.between(100, 500));
      const [victim, step] = (await this.#someoneAtWork()) ?? [];
      if (victim === undefined || step === undefined) continue;
      if (this.frozen < freezes && random.chance(0.3)) {
        this.frozen += 1;
        victim.kill('SIGSTOP');
        this.#after(pause(FROZEN_MS).then(() => victim.kill('SIGCONT')));
      } else if (this.#isWanted(step) && random.chance(0.25)) {
        this.#count('anywhere', step);
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
    await dismissAll(this.#members);
    await Promise.all(this.#pending);
  }

  /** Beyond their number only deaths that are still missing: on a slow machine nobody would get that far any more. */
  #isWanted(step: Step): boolean {
    const { kills, halfway } = this.#options;
    return this.killed < kills || (step !== 'begun' && this.byStep[step] < halfway);
  }

  #left() {
    return this.#options.everywhere ? boundaries.filter(({ name }) => (this.byPoint[name] ?? 0) === 0) : [];
  }

  #count(point: string, step: Step | undefined): void {
    this.killed += 1;
    this.byPoint[point] = (this.byPoint[point] ?? 0) + 1;
    if (step !== undefined) this.byStep[step] += 1;
  }

  #after(work: Promise<unknown>): void {
    const pending = work.finally(() => this.#pending.delete(pending));
    this.#pending.add(pending);
  }

  /** Its leases stand until they expire. After the end of a batch there is none: that it died there is enough. */
  async #note(child: ChildProcess, point: Failpoint): Promise<void> {
    const step = (await this.#atWork()).get(child.pid ?? 0);
    if (step !== undefined || point === 'finish.after_commit') this.#count(point, step);
  }

  async #someoneAtWork(): Promise<[ChildProcess, Step] | undefined> {
    const steps = await this.#atWork();
    const members = [...this.#members].flatMap((child): [ChildProcess, Step][] => {
      const step = steps.get(child.pid ?? 0);
      return step === undefined ? [] : [[child, step]];
    });
    return members.length === 0 ? undefined : this.#options.random.pick(members);
  }

  /** By process: how far the batch is that it has in hand; of two, the one that is further. */
  async #atWork(): Promise<ReadonlyMap<number, Step>> {
    const rows = await this.#options.ground.ask<{ pid: number; step: Step }>(
      `select w.pid,
              case when bool_or(exists (select from engine.row_outcomes o where o.run_id = l.run_id)) then 'storing'
                   when bool_or(exists (select from intake.simplicity_validated_rows s where s.batch_id = l.run_id)) then 'reading'
                   else 'begun' end as step
       from engine.workers w join engine.leases l on l.worker_id = w.worker_id
       group by w.pid`,
    );
    return new Map(rows.map(({ pid, step }) => [pid, step]));
  }
}
