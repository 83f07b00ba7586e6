// Writes the ends of attempts in batches. While the finisher writes one batch, the next one gathers, so that the batch size follows the load.
//
// The end of one run never waits for another run. The finisher skips an end whose lease is locked and tries it again alone; if the lock belongs to an
// effects transaction of the same attempt, it stops that transaction. When a batch takes long, a second writer continues with what has gathered. When
// the database refuses a batch, the finisher writes its ends one by one, so that one bad receipt does not delay the others.
//
// While the database is away, ends wait here; the fence decides later whether they still count. If the database stored an end but its answer was lost, the
// finisher finds that end in the history.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { type Pool, withTransaction } from '../platform/database.ts';
import { sqlStateOf, translateDatabaseError } from '../platform/database-errors.ts';
import { failpoint } from '../platform/failpoints.ts';
import type { Log } from '../platform/log.ts';
import { waitAtMost } from '../platform/wait.ts';
import { endByRelease, plainEnd } from './failure.ts';
import { accountedFor, faultsOfContent, type Receipt } from './receipt.ts';
import { endShared } from './shared-runs.ts';
import { endAlike } from './sql/end-alike.ts';
import { type AttemptEnd, type EndedEvent, type EndedRow, endAttempts } from './sql/end-attempts.ts';
import { endsInHistory } from './sql/ends-in-history.ts';
import { stopEffects } from './sql/fence.ts';
import { commitsNotStanding, leasesStillHeld } from './sql/held-leases.ts';
import { passThrough } from './sql/pass-through.ts';
import type { StageRun } from './stage-context.ts';

export interface Ending {
  readonly run: StageRun;
  readonly end: AttemptEnd;
  readonly events: readonly EndedEvent[];
  readonly via: readonly string[];
  /** Done and nothing else to say: may be written together with others of its kind. */
  readonly isPlain?: boolean;
  /** The last part of a shared run has concluded it. */
  readonly isConclusion?: boolean;
  /** Fails the run because the database refused its end; refused as well, it can only be tried again. */
  readonly isRefusal?: boolean;
}

/** Whether ends have put runs back into the queue. */
export type QueuedAgain = 'now' | 'later' | undefined;

export function queuedAgain(batch: readonly Ending[]): QueuedAgain {
  if (batch.some(({ end }) => end.event === 'release' && end.delayMs === null)) return 'now';
  return batch.some(({ end }) => end.delayMs !== null) ? 'later' : undefined;
}

export interface FinisherOptions {
  readonly pool: Pool;
  readonly log: Log;
  /** Told of each batch, and which of its runs were no longer ours. */
  readonly onWritten: (batch: readonly Ending[], lost: readonly Ending[]) => void;
}

/** Not the run's fault: the database is away, or somebody has to make room on its disk or let us in. The end is kept until then. */
const passing: ReadonlySet<string> = new Set(['transient', 'rate_limited', 'config']);
/** Locked rows, or a statement that ran into its limit: somebody is in the way of one run, perhaps, not of all. */
const inTheWay: ReadonlySet<string> = new Set(['55P03', '57014', '40P01']);
// One large batch after the other takes the server 27.4 µs per run of a drain, two halves side by side 28.7: they wait for each other's pages.
const MAX_BATCH = 2_000;
const MAX_WRITERS = 3;
// A full batch takes some 50 ms. After this long another writer takes what has gathered behind it.
const SLOW_MS = 250;
const FIRST_PAUSE_MS = 50;
const longer = (pauseMs: number) => Math.min(pauseMs * 2, 2_000);
// So often the transaction in the way of an end is asked to stop, before its connection is ended.
const GENTLE_TRIES = 2;
// A run that lost commits in a failover goes on when the server has had a moment.
const REWOUND_PAUSE_MS = 500;
const CHECK_VIOLATION = '23514';
const GUARD_REFUSAL = 'MR001';

interface Batch {
  readonly endings: readonly Ending[];
  /** When the oldest of them was added. */
  readonly since: number;
}

interface SetAside {
  readonly ending: Ending;
  readonly since: number;
  readonly tries: number;
  readonly isLocked: boolean;
}

export class Finisher {
  readonly #options: FinisherOptions;
  #waiting: Ending[] = [];
  #waitingSince = 0;
  /** Being written, with the moment their writing began. */
  readonly #writing = new Map<Batch, number>();
  #writers = 0;
  /** Ends that are tried alone, because their lease is locked or because they could not even be failed: they hold up nobody. */
  readonly #aside = new Set<SetAside>();
  readonly #given = new AbortController();
  /** When each try under way began, or last heard from the database. */
  readonly #busy = new Set<{ readonly since: number }>();
  #idle: (() => void)[] = [];

  constructor(options: FinisherOptions) {
    this.#options = options;
  }

  get backlog(): number {
    return this.#waiting.length + this.#aside.size;
  }

  /** How long the oldest end has waited to be written; 0 when none waits. */
  get oldestMs(): number {
    const since = [
      ...(this.#waiting.length > 0 ? [this.#waitingSince] : []),
      ...[...this.#writing.keys(), ...this.#aside].map((batch) => batch.since),
    ];
    return since.length === 0 ? 0 : performance.now() - Math.min(...since);
  }

  /** Since when the try that has waited longest for the database waits; undefined: none does. On the monotonic clock. */
  get busySince(): number | undefined {
    return this.#busy.size === 0 ? undefined : Math.min(...[...this.#busy].map(({ since }) => since));
  }

  add(ending: Ending): void {
    if (this.#waiting.length === 0) this.#waitingSince = performance.now();
    this.#waiting.push(ending);
    if (this.#writers === 0 || (this.#writers === 1 && this.#waiting.length >= MAX_BATCH)) void this.#write();
  }

  /** Resolves when everything added so far has been written, or when `abandon` was called. */
  async flush(): Promise<void> {
    while (!this.#isIdle()) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Stops trying: the database is away and the process wants to end. Other workers will take the runs over. */
  abandon(): void {
    this.#given.abort();
    this.#tellIdle();
  }

  #isIdle(): boolean {
    const nothingToDo = this.#waiting.length === 0 && this.#aside.size === 0;
    return this.#given.signal.aborted || (this.#writers === 0 && nothingToDo);
  }

  #tellIdle(): void {
    if (!this.#isIdle()) return;
    for (const tell of this.#idle.splice(0)) tell();
  }

  /** One writer: until nothing waits. A second one begins when a whole batch has gathered behind the first, or when all are slow. */
  async #write(): Promise<void> {
    this.#writers += 1;
    const watch = setInterval(() => this.#helpOut(), SLOW_MS);
    try {
      // In a later turn of the event loop, so that ends of the same turn share a batch.
      await new Promise<void>((resolve) => setImmediate(resolve));
      while (this.#waiting.length > 0 && !this.#given.signal.aborted) {
        const batch = { endings: this.#waiting.slice(0, MAX_BATCH), since: this.#waitingSince };
        this.#waiting = this.#waiting.slice(MAX_BATCH);
        if (this.#waiting.length === 0) this.#waitingSince = 0;
        this.#writing.set(batch, performance.now());
        await this.#writeStubbornly(batch).finally(() => this.#writing.delete(batch));
      }
    } finally {
      clearInterval(watch);
      this.#writers -= 1;
      this.#tellIdle();
    }
  }

  #helpOut(): void {
    const nowMs = performance.now();
    const areSlow = [...this.#writing.values()].filter((begun) => nowMs - begun >= SLOW_MS).length === this.#writers;
    if (this.#waiting.length > 0 && areSlow && this.#writers < MAX_WRITERS) void this.#write();
  }

  async #writeStubbornly(batch: Batch, tries = 0): Promise<void> {
    const { endings } = batch;
    for (let pause = FIRST_PAUSE_MS, turn = tries; !this.#given.signal.aborted; pause = longer(pause), turn++) {
      try {
        await this.#whileBusy(async (moved) => this.#settle(batch, await this.#writeOnce(endings, moved), turn));
        return;
      } catch (error) {
        const ours = translateDatabaseError(error);
        const [only] = endings as [Ending];
        if (endings.length === 1 && inTheWay.has(sqlStateOf(error) ?? '')) {
          this.#setAside({ ending: only, since: batch.since, tries: turn + 1, isLocked: true });
          return;
        }
        if (endings.length > 1 && (inTheWay.has(sqlStateOf(error) ?? '') || !isPassing(ours))) {
          for (const ending of endings) await this.#writeStubbornly({ ...batch, endings: [ending] }, 1);
          return;
        }
        if (isPassing(ours)) {
          this.#options.log.warn({ code: ours.code, runs: endings.length }, 'ends of attempts wait for the database');
          await waitAtMost(pause, this.#given.signal);
        } else if (only.isRefusal) {
          this.#options.log.error({ run: only.run.id, err: error }, 'a run could not even be failed');
          this.#setAside({ ending: only, since: batch.since, tries: turn + 1, isLocked: false });
          return;
        } else {
          await this.#writeRefused(only, batch.since, error);
          return;
        }
      }
    }
  }

  /** Told of each answer that came: a batch of many statements does not stand as long as they are answered. */
  async #whileBusy(write: (moved: () => void) => Promise<void>): Promise<void> {
    const busy = { since: performance.now() };
    const moved = () => {
      busy.since = performance.now();
    };
    this.#busy.add(busy);
    await write(moved).finally(() => this.#busy.delete(busy));
  }

  /** Sorts out what was not moved: locked by somebody, written before, rewound by a failover, or no longer ours. */
  async #settle(batch: Batch, missing: readonly Ending[], tries: number): Promise<void> {
    const { pool } = this.#options;
    const held =
      missing.length === 0
        ? new Set()
        : await leasesStillHeld(
            pool,
            missing.map(({ run }) => run),
          );
    const isHeld = ({ run }: Ending) => held.has(`${run.id}/${run.part}`);
    const rewound = await this.#releaseRewound(
      missing.filter((ending) => isHeld(ending) && ending.end.commits !== null),
    );
    const locked = missing.filter((ending) => isHeld(ending) && !rewound.has(ending));
    const gone = missing.filter((ending) => !isHeld(ending));
    const lost = tries > 0 && gone.length > 0 ? await this.#withoutWritten(gone) : gone;
    for (const ending of locked) this.#setAside({ ending, since: batch.since, tries: tries + 1, isLocked: true });
    const settled = locked.length === 0 ? batch.endings : batch.endings.filter((ending) => !locked.includes(ending));
    if (settled.length > 0) this.#options.onWritten(settled, lost);
  }

  /**
   * Ends of executions whose commits the database no longer has: their runs go on from what it has. Returns those it released. The counts are
   * asked about by themselves: a lease that was locked for a moment looks the same, and that end is only tried again.
   */
  async #releaseRewound(held: readonly Ending[]): Promise<ReadonlySet<Ending>> {
    if (held.length === 0) return new Set();
    const believed = held.map(({ run, end }) => ({
      id: run.id,
      part: run.part,
      stage: run.stage,
      commits: end.commits,
    }));
    const rewound = await commitsNotStanding(this.#options.pool, believed);
    const endings = held.filter(({ run }) => rewound.has(`${run.id}/${run.part}`));
    if (endings.length === 0) return new Set();
    const waitReason = JSON.stringify({ kind: 'later', code: 'commits_lost' });
    const releases = endings.map((ending) => {
      const end = { ...endByRelease(ending.run), waitReason, delayMs: REWOUND_PAUSE_MS };
      return { run: ending.run, end, events: [], via: [] };
    });
    const missing = new Set((await this.#writeOnce(releases)).map(({ run }) => `${run.id}/${run.part}`));
    const released = endings.filter(({ run }) => !missing.has(`${run.id}/${run.part}`));
    for (const { run } of released)
      this.#options.log.error({ run: run.id, attempt: run.attempt, stage: run.stage }, 'commits_lost');
    return new Set(released);
  }

  #setAside(aside: SetAside): void {
    this.#aside.add(aside);
    void this.#retry(aside)
      .catch((error: unknown) =>
        this.#options.log.error({ run: aside.ending.run.id, err: error }, 'an end was dropped'),
      )
      .finally(() => {
        this.#aside.delete(aside);
        this.#tellIdle();
      });
  }

  async #retry({ ending, since, tries, isLocked }: SetAside): Promise<void> {
    if (isLocked) await this.#clearTheWay(ending, tries);
    await waitAtMost(Math.min(2_000, FIRST_PAUSE_MS * 2 ** (tries - 1)), this.#given.signal);
    if (!this.#given.signal.aborted) await this.#writeStubbornly({ endings: [ending], since }, tries);
  }

  /** The attempt is over: what is still open under its fence counts for nothing. Locks of others are short and left alone. */
  async #clearTheWay({ run }: Ending, tries: number): Promise<void> {
    const how = tries <= GENTLE_TRIES ? 'cancel' : 'end';
    const stopped = await stopEffects(this.#options.pool, run, how).catch(() => 0);
    if (stopped !== 0)
      this.#options.log.warn(
        { run: run.id, attempt: run.attempt, how, stopped },
        'an effects transaction was in the way',
      );
  }

  /** A commit whose answer was cut off moves nothing when it is repeated. */
  async #withoutWritten(missing: readonly Ending[]): Promise<readonly Ending[]> {
    const written = await endsInHistory(
      this.#options.pool,
      missing.map(({ end }) => end),
    );
    return missing.filter(({ run }) => !written.has(`${run.id}/${run.attempt}`));
  }

  /** Returns what was no longer ours. */
  async #writeOnce(batch: readonly Ending[], moved: () => void = () => {}): Promise<readonly Ending[]> {
    failpoint('finish.before_commit');
    const rest = areAlike(batch) ? await this.#writeAlike(batch) : batch;
    moved();
    const ended = new Set<string>();
    const parts = new Set<Ending>();
    const direct = rest.filter(({ run, via }) => via.length === 0 && !run.isShared);
    if (direct.length > 0) {
      const ends = direct.map(({ end }) => end);
      const events = direct.flatMap((ending) => ending.events);
      for (const { id } of await endAttempts(this.#options.pool, ends, events)) ended.add(id);
      moved();
    }
    for (const ending of rest) {
      if (ending.run.isShared) {
        if (await this.#writeShared(ending)) parts.add(ending);
      } else if (ending.via.length > 0) for (const { id } of await this.#writeVia(ending)) ended.add(id);
      moved();
    }
    failpoint('finish.after_commit');
    return rest.filter((ending) => !(ending.run.isShared ? parts.has(ending) : ended.has(ending.run.id)));
  }

  /** Returns what it did not move. */
  async #writeAlike(batch: readonly PlainEnding[]): Promise<readonly Ending[]> {
    const [{ end, run }] = batch as [PlainEnding];
    const moved = await endAlike(
      this.#options.pool,
      { ...end, stage: run.stage },
      batch.map(({ end: { runId } }) => runId),
    );
    if (moved === 'all') return [];
    const ids = new Set(moved);
    return batch.filter(({ run }) => !ids.has(run.id));
  }

  #writeShared(ending: Ending): Promise<boolean> {
    const shared = { ...ending, isConclusion: ending.isConclusion ?? false };
    return withTransaction(this.#options.pool, (tx) => endShared(tx, shared));
  }

  /** All arrows of the way in one transaction: nobody ever sees the run standing in between. */
  #writeVia(ending: Ending): Promise<EndedRow[]> {
    return withTransaction(this.#options.pool, async (tx) => {
      let status = ending.end.fromStatus;
      for (const event of ending.via) {
        const next = await passThrough(tx, ending.run, { fromStatus: status, event });
        if (next === undefined) return [];
        status = next;
      }
      return endAttempts(tx, [{ ...ending.end, fromStatus: status }], ending.events);
    });
  }

  /** The database would not have it: the run fails and says so, instead of standing still. */
  async #writeRefused(ending: Ending, since: number, error: unknown): Promise<void> {
    const refusal = explainRefusal(ending, error);
    this.#options.log.error(
      { run: ending.run.id, code: refusal.code, err: error },
      'the end of an attempt was refused',
    );
    const end: AttemptEnd = {
      ...plainEnd(ending.run, 'fail', 'failed'),
      errorKind: refusal.kind,
      errorCode: refusal.code,
      errorText: refusal.message,
    };
    const failing = { run: ending.run, end, events: [], via: [], isRefusal: true };
    await this.#writeStubbornly({ endings: [failing], since });
  }
}

function isPassing(error: unknown): error is MillraceError {
  return error instanceof MillraceError && passing.has(error.kind);
}

type PlainEnding = Ending & { readonly end: { readonly receipt: string } };

function areAlike(batch: readonly Ending[]): batch is readonly PlainEnding[] {
  const [first] = batch;
  return (
    first !== undefined &&
    batch.length > 1 &&
    batch.every(
      ({ isPlain, end }) =>
        isPlain === true &&
        end.receipt !== null &&
        end.receipt === first.end.receipt &&
        end.attempt === first.end.attempt &&
        end.workerId === first.end.workerId &&
        end.pipeline === first.end.pipeline &&
        end.fromStatus === first.end.fromStatus &&
        end.event === first.end.event,
    )
  );
}

function explainRefusal(ending: Ending, error: unknown): MillraceError {
  const { run } = ending;
  const state = sqlStateOf(error);
  if (state === CHECK_VIOLATION && ending.end.receipt !== null) {
    const receipt = JSON.parse(ending.end.receipt) as Receipt;
    return new MillraceError('receipt_unbalanced', {
      run: run.id,
      read: receipt.read,
      accounted: [accountedFor(receipt), ...faultsOfContent(receipt.content)].join(', '),
    });
  }
  if (state === GUARD_REFUSAL) {
    return new MillraceError('event_illegal', {
      run: run.id,
      state: run.status,
      event: ending.end.event,
      possible: 'see docs/states.md',
    });
  }
  return new MillraceError('stage_failed', { stage: run.stage, run: run.id });
}
