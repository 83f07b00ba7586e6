// A connection that notices silence. A server that fails over by address, or a firewall that forgot its table, leaves a
// connection open that never answers again; TCP itself may take a quarter of an hour to notice.
//
// Promises: a statement that hears nothing within the limit ends with `database_lost` and takes its connection with it. Whether
// the server did what it was asked is then unknown: the caller treats it as in doubt. Time counts from the last byte heard, so
// a long answer that keeps coming is never cut off. Does not stop the statement on the server: its own timeouts do.
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { type BindWire, bindInPieces } from './bind-in-pieces.ts';
import { askAsUnit } from './unit-query.ts';

export interface GuardOptions {
  /** How long opening a connection may take, signing in included. */
  readonly openWithinMs: number;
  /** How long a statement may hear nothing. */
  readonly answerWithinMs: number;
  /** Behind a pooler in transaction mode: the settings that each transaction makes first. */
  readonly prologue?: string | undefined;
  /** Told once when the connection was given up because of silence: its neighbours are probably silent too. */
  readonly onSilent?: (() => void) | undefined;
}

/** A statement with a limit of its own: over so much at once that it may take longer than others of its pool, or awaited by somebody. */
export interface BulkStatement extends pg.QueryConfig {
  readonly answerWithinMs: number | undefined;
}

/** Who can find out another way that the server is still at work waits on. */
export interface SilenceRule {
  readonly askAfterMs: number;
  /** False: the transaction is over and no answer will come. Throws: nobody knows. */
  readonly isOpen: () => Promise<boolean>;
}

/** Asked without result this often, nobody waits any longer: where the question does not arrive, the answer will not either. */
const MAX_UNANSWERED_QUESTIONS = 2;
const LONGEST_TIMER_MS = 2_147_483_647;
/** A goodbye to a silent server is not waited for. */
const END_WITHIN_MS = 1_000;

/** What pg's client offers beyond its declared types. */
interface Wire {
  readonly connection: BindWire & { readonly stream: { readonly bytesRead?: number; destroy(error?: Error): void } };
}

export class GuardedClient extends pg.Client {
  readonly #guard: GuardOptions;
  #rule: SilenceRule | undefined;
  #isWaiting = false;
  #quietSince = 0;
  #bytesHeard = 0;
  #unanswered = 0;
  #statementMs = 0;
  #armedMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(config: pg.ClientConfig & { readonly guard: GuardOptions }) {
    super({ ...config, connectionTimeoutMillis: config.guard.openWithinMs });
    this.#guard = config.guard;
    bindInPieces((this as unknown as Wire).connection);
    // pg says "drain" when nothing is under way any more.
    this.on('drain', () => {
      this.#isWaiting = false;
    });
    const ask = this.query.bind(this) as (...args: unknown[]) => unknown;
    // An own property: pg declares `query` with a dozen overloads, which a method would have to repeat.
    this.query = ((...args: unknown[]) => {
      this.#startWaiting((args[0] as Partial<BulkStatement> | null)?.answerWithinMs);
      const { prologue } = this.#guard;
      return prologue === undefined ? ask(...args) : askAsUnit(ask, prologue, this.#isInTransaction, args);
    }) as typeof this.query;
    const end = this.end.bind(this) as (callback?: () => void) => Promise<void>;
    this.end = ((callback?: () => void) => {
      setTimeout(() => this.#stream.destroy(), END_WITHIN_MS).unref();
      return end(callback);
    }) as typeof this.end;
  }

  /** For as long as a transaction lasts; undefined takes it back. */
  set silenceRule(rule: SilenceRule | undefined) {
    this.#rule = rule;
    this.#unanswered = 0;
    if (rule !== undefined) this.#lookAfter(rule.askAfterMs);
  }

  get #stream(): Wire['connection']['stream'] {
    return (this as unknown as Wire).connection.stream;
  }

  get #isInTransaction(): boolean {
    const status = this.getTransactionStatus();
    return status === 'T' || status === 'E';
  }

  get #limitMs(): number {
    return this.#rule?.askAfterMs ?? this.#statementMs;
  }

  #startWaiting(answerWithinMs: number | undefined): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#statementMs = answerWithinMs ?? this.#guard.answerWithinMs;
    this.#quietSince = performance.now();
    this.#bytesHeard = this.#stream.bytesRead ?? 0;
    if (this.#timer === undefined || this.#limitMs < this.#armedMs) this.#lookAfter(this.#limitMs);
  }

  /** One timer for many statements: it is set again when it fires, not with each of them. */
  #lookAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#armedMs = ms;
    this.#timer = setTimeout(() => void this.#look(), Math.min(Math.max(ms, 1), LONGEST_TIMER_MS));
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    this.#timer = undefined;
    if (!this.#isWaiting) return;
    const now = performance.now();
    const bytes = this.#stream.bytesRead ?? 0;
    if (bytes !== this.#bytesHeard) {
      this.#bytesHeard = bytes;
      this.#quietSince = now;
      this.#unanswered = 0;
    }
    const leftMs = this.#quietSince + this.#limitMs - now;
    if (leftMs > 0) return this.#lookAfter(leftMs);
    if (this.#rule === undefined || !(await this.#isStillOpen(this.#rule))) return this.#giveUp();
    this.#quietSince = performance.now();
    this.#lookAfter(this.#limitMs);
  }

  async #isStillOpen(rule: SilenceRule): Promise<boolean> {
    const quietSince = this.#quietSince;
    try {
      const isOpen = await rule.isOpen();
      this.#unanswered = 0;
      // Answered while we asked.
      return isOpen || !this.#isWaiting || quietSince !== this.#quietSince || this.#rule !== rule;
    } catch {
      this.#unanswered += 1;
      return this.#unanswered < MAX_UNANSWERED_QUESTIONS;
    }
  }

  #giveUp(): void {
    const seconds = Math.round(this.#limitMs / 100) / 10;
    this.#stream.destroy(new Error(`no answer from the database within ${seconds} s`));
    this.#guard.onSilent?.();
  }
}
