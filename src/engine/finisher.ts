// Writes the ends of attempts in batches. While one batch is being written the next one gathers, so that the batch size
// follows the load by itself. A batch that the database refuses is written one by one, so that a single bad receipt does
// not hold up its neighbours. While the database is away, ends wait here; the fence decides whether they still count. What was
// written without anybody hearing of it is found in the history, and not called lost.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { type Pool, withTransaction } from '../platform/database.ts';
import { sqlStateOf, translateDatabaseError } from '../platform/database-errors.ts';
import { failpoint } from '../platform/failpoints.ts';
import type { Log } from '../platform/log.ts';
import { waitAtMost } from '../platform/wait.ts';
import { plainEnd } from './failure.ts';
import { accountedFor, type Receipt } from './receipt.ts';
import { endAlike } from './sql/end-alike.ts';
import { type AttemptEnd, type EndedEvent, type EndedRow, endAttempts } from './sql/end-attempts.ts';
import { passThrough } from './sql/pass-through.ts';
import { endsInHistory } from './sql/read-history.ts';
import type { StageRun } from './stage-context.ts';

export interface Ending {
  readonly run: StageRun;
  readonly end: AttemptEnd;
  readonly events: readonly EndedEvent[];
  readonly via: readonly string[];
  /** Done and nothing else to say: may be written together with others of its kind. */
  readonly isPlain?: boolean;
  /** Fails the run because the database refused its end; refused as well, it can only be tried again. */
  readonly isRefusal?: boolean;
}

export interface FinisherOptions {
  readonly pool: Pool;
  readonly log: Log;
  /** Told of each batch, and which of its runs were no longer ours. */
  readonly onWritten: (batch: readonly Ending[], lost: readonly Ending[]) => void;
}

/** Not the run's fault: the database is away, or somebody has to make room on its disk or let us in. The end is kept until then. */
const passing: ReadonlySet<string> = new Set(['transient', 'rate_limited', 'config']);
const MAX_BATCH = 1_000;
const FIRST_PAUSE_MS = 50;
const longer = (pauseMs: number) => Math.min(pauseMs * 2, 2_000);
const CHECK_VIOLATION = '23514';
const GUARD_REFUSAL = 'MR001';

export class Finisher {
  readonly #options: FinisherOptions;
  #waiting: Ending[] = [];
  /** Could not even be failed. Tried again when nothing else waits, so that they hold up nobody. */
  readonly #refused: Ending[] = [];
  #writing: Promise<void> | undefined;
  readonly #given = new AbortController();
  /** Since when the same batch is on its way to the database; undefined: none is. On the monotonic clock. */
  busySince: number | undefined;

  constructor(options: FinisherOptions) {
    this.#options = options;
  }

  get backlog(): number {
    return this.#waiting.length + this.#refused.length;
  }

  add(ending: Ending): void {
    this.#waiting.push(ending);
    // Started in a later turn of the event loop, so that ends of the same turn share a batch.
    this.#writing ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.#writeAll());
  }

  /** Resolves when everything added so far has been written, or when `abandon` was called. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  /** Stops trying: the database is away and the process wants to end. Other workers will take the runs over. */
  abandon(): void {
    this.#given.abort();
  }

  async #writeAll(): Promise<void> {
    try {
      for (let pause = FIRST_PAUSE_MS; this.backlog > 0 && !this.#given.signal.aborted; ) {
        if (this.#waiting.length > 0) {
          const batch = this.#waiting.slice(0, MAX_BATCH);
          this.#waiting = this.#waiting.slice(MAX_BATCH);
          await this.#writeStubbornly(batch);
        } else {
          await waitAtMost(pause, this.#given.signal);
          pause = longer(pause);
          await this.#writeStubbornly(this.#refused.splice(0, 1), true);
        }
      }
    } finally {
      this.#writing = undefined;
    }
  }

  async #writeStubbornly(batch: readonly Ending[], wasTried = false): Promise<void> {
    let mayBeWritten = wasTried;
    for (let pause = FIRST_PAUSE_MS; !this.#given.signal.aborted; pause = longer(pause)) {
      try {
        this.busySince = performance.now();
        const missing = await this.#write(batch);
        const lost = mayBeWritten && missing.length > 0 ? await this.#withoutWritten(missing) : missing;
        this.busySince = undefined;
        this.#options.onWritten(batch, lost);
        return;
      } catch (error) {
        this.busySince = undefined;
        mayBeWritten = true;
        const ours = translateDatabaseError(error);
        const [only] = batch as [Ending];
        if (ours instanceof MillraceError && passing.has(ours.kind)) {
          this.#options.log.warn({ code: ours.code, runs: batch.length }, 'ends of attempts wait for the database');
          await waitAtMost(pause, this.#given.signal);
        } else if (batch.length > 1) {
          for (const ending of batch) await this.#writeStubbornly([ending], true);
          return;
        } else if (only.isRefusal) {
          this.#options.log.error({ run: only.run.id, err: error }, 'a run could not even be failed');
          this.#refused.push(only);
          return;
        } else {
          await this.#writeRefused(only, error);
          return;
        }
      }
    }
  }

  /** A commit whose answer was cut off moves nothing when it is repeated. */
  async #withoutWritten(missing: readonly Ending[]): Promise<readonly Ending[]> {
    const written = await endsInHistory(
      this.#options.pool,
      missing.map(({ end }) => end),
    );
    return missing.filter(({ run }) => !written.has(run.id));
  }

  /** Returns what was no longer ours. */
  async #write(batch: readonly Ending[]): Promise<readonly Ending[]> {
    failpoint('finish.before_commit');
    const rest = areAlike(batch) ? await this.#writeAlike(batch) : batch;
    const moved = new Set<string>();
    const direct = rest.filter((ending) => ending.via.length === 0);
    if (direct.length > 0) {
      const ends = direct.map(({ end }) => end);
      const events = direct.flatMap((ending) => ending.events);
      for (const { id } of await endAttempts(this.#options.pool, ends, events)) moved.add(id);
    }
    for (const ending of rest)
      if (ending.via.length > 0) for (const { id } of await this.#writeVia(ending)) moved.add(id);
    failpoint('finish.after_commit');
    return rest.filter(({ run }) => !moved.has(run.id));
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

  /** All arrows of the way in one transaction: nobody ever sees the run standing in between. */
  #writeVia(ending: Ending): Promise<EndedRow[]> {
    return withTransaction(this.#options.pool, async (tx) => {
      let status = ending.end.fromStatus;
      for (const event of ending.via) {
        const next = await passThrough(tx, {
          runId: ending.run.id,
          attempt: ending.run.attempt,
          fromStatus: status,
          event,
        });
        if (next === undefined) return [];
        status = next;
      }
      return endAttempts(tx, [{ ...ending.end, fromStatus: status }], ending.events);
    });
  }

  /** The database would not have it: the run fails and says so, instead of standing still. */
  async #writeRefused(ending: Ending, error: unknown): Promise<void> {
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
    await this.#writeStubbornly([{ run: ending.run, end, events: [], via: [], isRefusal: true }]);
  }
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
      accounted: accountedFor(receipt),
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
