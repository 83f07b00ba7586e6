// The live feed of a process: reads the outbox once, by position, and passes each event to the readers of its tenant (and run).
// Readers join with what they missed and then go on live: in order, nothing left out, nothing twice. A reader whose buffer is full
// is left alone until it has drained and then catches up from the outbox, so no burst costs memory and none costs a reader;
// one that does not drain at all is dropped with a reason. While nobody follows, nothing is read.
import type { Log } from '../../platform/log.ts';
import { type OutboxSource, OutboxTail, type TailRow } from './outbox-tail.ts';
import { type EventView, viewEvent } from './view-event.ts';

/** One event, written out once for all its readers. */
export interface LiveEvent {
  readonly position: number;
  readonly tenantId: string;
  readonly runId: string | null;
  readonly type: string;
  readonly json: string;
  /** Set where only he, and who sees all runs, may hear of it. */
  readonly owner?: string | null;
}

export interface Reader {
  readonly tenantId: string;
  readonly runId: string | undefined;
  readonly types: ReadonlySet<string> | undefined;
  /** Set: of runs that belong to somebody it hears of this person's only. */
  readonly onlyOf?: string | undefined;
  /** False when the reader is full: nothing more is sent until `drained` resolves. */
  send(event: LiveEvent): boolean;
  /** True when it has room again; false when it took too long. Also resolves when the reader is gone. */
  drained(): Promise<boolean>;
  keepAlive(): void;
  /** Ends the reader's connection, telling it why. */
  close(reason: CloseReason): void;
  /** Whether the reader's credential still holds; asked with every keep-alive. */
  isStillAllowed(): Promise<boolean>;
}

export type CloseReason = 'too_slow' | 'signed_out' | 'shutting_down';

export interface FeedSource extends OutboxSource {
  /** Events of one tenant after a position and up to another, under its row-level security. */
  readMissed(tenantId: string, after: number, upTo: number, limit: number): Promise<readonly EventRowOf[]>;
}

type EventRowOf = Parameters<typeof viewEvent>[0] & Pick<TailRow, 'owner'>;

export interface Feed {
  /** Starts passing events to the reader, from `after` or from now on. Returns how to leave. */
  join(reader: Reader, after: number | undefined): Promise<() => void>;
  readonly readers: number;
  /** Asks of each reader whether it may still read: a credential has just ended. */
  checkReaders(): void;
  close(): void;
}

export interface FeedOptions {
  readonly source: FeedSource;
  readonly log: Log;
  readonly pollMs?: number;
  readonly keepAliveMs?: number;
}

const MISSED_BATCH = 1_000;
const DEFAULT_POLL_MS = 2_000;
const DEFAULT_KEEP_ALIVE_MS = 15_000;

export function createFeed(options: FeedOptions): Feed {
  return new LiveFeed(options);
}

class LiveFeed implements Feed {
  readonly #source: FeedSource;
  readonly #log: Log;
  readonly #keepAliveMs: number;
  readonly #byTenant = new Map<string, Set<Seat>>();
  readonly #tail: OutboxTail;
  #keepingAlive: NodeJS.Timeout | undefined;

  constructor({ source, log, pollMs = DEFAULT_POLL_MS, keepAliveMs = DEFAULT_KEEP_ALIVE_MS }: FeedOptions) {
    this.#source = source;
    this.#log = log;
    this.#keepAliveMs = keepAliveMs;
    this.#tail = new OutboxTail({ source, log, pollMs, onRow: (row) => this.#passOn(row) });
  }

  get readers(): number {
    return [...this.#byTenant.values()].reduce((count, seats) => count + seats.size, 0);
  }

  async join(reader: Reader, after: number | undefined): Promise<() => void> {
    const seat = new Seat(reader);
    const seats = this.#byTenant.get(reader.tenantId) ?? new Set();
    this.#byTenant.set(reader.tenantId, seats.add(seat));
    this.#keepingAlive ??= setInterval(() => this.#keepAlive(), this.#keepAliveMs).unref();
    try {
      await this.#tail.start();
      seat.position = after ?? this.#tail.position ?? 0;
      await this.#catchUp(seat);
      return () => this.#leave(seat);
    } catch (error) {
      this.#leave(seat);
      throw error;
    }
  }

  checkReaders(): void {
    for (const seat of this.#seats())
      seat.reader.isStillAllowed().then(
        (isAllowed) => {
          if (!isAllowed) seat.reader.close('signed_out');
        },
        // Not known at the moment: asked again next time.
        () => undefined,
      );
  }

  close(): void {
    for (const seat of this.#seats()) seat.reader.close('shutting_down');
    this.#byTenant.clear();
    this.#stop();
  }

  #seats(): Seat[] {
    return [...this.#byTenant.values()].flatMap((seats) => [...seats]);
  }

  #stop(): void {
    clearInterval(this.#keepingAlive);
    this.#keepingAlive = undefined;
    this.#tail.stop();
  }

  #passOn(row: TailRow): void {
    const seats = this.#byTenant.get(row.tenant_id);
    if (seats === undefined) return;
    const event = liveEvent(row.tenant_id, row);
    for (const seat of seats) if (seat.isLive && !seat.deliver(event)) void this.#recover(seat);
  }

  #keepAlive(): void {
    for (const seat of this.#seats()) seat.reader.keepAlive();
    this.checkReaders();
  }

  #leave(seat: Seat): void {
    seat.hasLeft = true;
    const seats = this.#byTenant.get(seat.reader.tenantId);
    seats?.delete(seat);
    if (seats?.size === 0) this.#byTenant.delete(seat.reader.tenantId);
    if (this.#byTenant.size === 0) this.#stop();
  }

  /** Sends what the seat has not had yet. It goes live at a moment at which there is nothing left to send. */
  async #catchUp(seat: Seat): Promise<void> {
    const { tenantId } = seat.reader;
    for (let upTo = this.#tail.position; !seat.hasLeft && isBefore(seat, upTo); upTo = this.#tail.position) {
      const rows = await this.#source.readMissed(tenantId, seat.position, upTo, MISSED_BATCH);
      for (const row of rows) {
        const hasRoom = seat.deliver(liveEvent(tenantId, row));
        if (!hasRoom && !(await seat.reader.drained())) return drop(seat);
      }
      if (rows.length < MISSED_BATCH) seat.position = Math.max(seat.position, upTo);
    }
    seat.isLive = true;
  }

  async #recover(seat: Seat): Promise<void> {
    seat.isLive = false;
    try {
      if (await seat.reader.drained()) await this.#catchUp(seat);
      else drop(seat);
    } catch (error) {
      this.#log.warn({ err: error }, 'a reader of the live feed could not catch up');
      drop(seat);
    }
  }
}

function isBefore(seat: Seat, position: number | undefined): position is number {
  return position !== undefined && seat.position < position;
}

function drop(seat: Seat): void {
  if (!seat.hasLeft) seat.reader.close('too_slow');
}

/** A reader's place: how far it has been served, and whether it takes events as they come. */
class Seat {
  readonly reader: Reader;
  position = 0;
  isLive = false;
  hasLeft = false;

  constructor(reader: Reader) {
    this.reader = reader;
  }

  /** False when the reader is full. Never sends a position twice. */
  deliver(event: LiveEvent): boolean {
    const { runId, types, onlyOf } = this.reader;
    if (event.position <= this.position) return true;
    this.position = event.position;
    if (runId !== undefined && event.runId !== runId) return true;
    if (types !== undefined && !types.has(event.type)) return true;
    if (onlyOf !== undefined && event.owner !== undefined && event.owner !== onlyOf) return true;
    return this.reader.send(event);
  }
}

function liveEvent(tenantId: string, row: EventRowOf): LiveEvent {
  const view: EventView = viewEvent(row);
  return {
    ...(row.owner === undefined ? {} : { owner: row.owner }),
    position: Number(view.position),
    tenantId,
    runId: view.run_id,
    type: view.type,
    json: JSON.stringify(view),
  };
}
