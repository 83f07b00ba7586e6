// The live feed of a process: reads the outbox once, by position, and hands each event to whoever follows its tenant (and run).
// Readers join with what they missed and then go on live: in order, nothing left out, nothing twice. A reader whose buffer is full
// is left alone until it has drained and then catches up from the outbox, so no burst costs memory and none costs a reader;
// one that does not drain at all is dropped with a reason. While nobody follows, nothing is read.
import type { FeedRow } from '../../engine/sql/event-feed.ts';
import type { Log } from '../../platform/log.ts';
import { type EventView, viewEvent } from './view-event.ts';

/** One event, written out once for all its readers. */
export interface LiveEvent {
  readonly position: number;
  readonly tenantId: string;
  readonly runId: string | null;
  readonly type: string;
  readonly json: string;
}

export interface Reader {
  readonly tenantId: string;
  readonly runId: string | undefined;
  readonly types: ReadonlySet<string> | undefined;
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

export interface FeedSource {
  /** Events of all tenants after a position. */
  read(after: number, limit: number): Promise<readonly FeedRow[]>;
  /** Events of one tenant after a position and up to another, under its row-level security. */
  readMissed(tenantId: string, after: number, upTo: number, limit: number): Promise<readonly EventRowOf[]>;
  lastPosition(): Promise<number>;
  /** Calls back whenever there may be new events; returns how to stop. */
  onEvents(listener: () => void): () => void;
}

type EventRowOf = Parameters<typeof viewEvent>[0];

export interface Feed {
  /** Starts handing events to the reader, from `after` or from now on. Returns how to leave. */
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

const BATCH = 2_000;
const MISSED_BATCH = 1_000;
const DEFAULT_POLL_MS = 2_000;
const DEFAULT_KEEP_ALIVE_MS = 15_000;

export function createFeed({
  source,
  log,
  pollMs = DEFAULT_POLL_MS,
  keepAliveMs = DEFAULT_KEEP_ALIVE_MS,
}: FeedOptions): Feed {
  const byTenant = new Map<string, Set<Seat>>();
  let position: number | undefined;
  let starting: Promise<number> | undefined;
  let isReading = false;
  let wantsMore = false;
  let stopListening: (() => void) | undefined;
  let timers: NodeJS.Timeout[] = [];

  /** From the first reader on: where the live part begins. */
  function start(): Promise<number> {
    starting ??= source.lastPosition().then((last) => {
      position = last;
      stopListening = source.onEvents(() => void readOn());
      timers = [setInterval(() => void readOn(), pollMs).unref(), setInterval(keepAlive, keepAliveMs).unref()];
      return last;
    });
    starting.catch(() => {
      starting = undefined;
    });
    return starting;
  }

  function stop(): void {
    stopListening?.();
    for (const timer of timers) clearInterval(timer);
    timers = [];
    stopListening = undefined;
    starting = undefined;
    position = undefined;
  }

  /** One read at a time; a wake-up during a read makes it look once more. */
  async function readOn(): Promise<void> {
    wantsMore = true;
    if (isReading) return;
    isReading = true;
    try {
      while (wantsMore && position !== undefined) {
        wantsMore = false;
        const rows = await source.read(position, BATCH);
        if (position === undefined) return;
        for (const row of rows) hand(row);
        position = rows.at(-1)?.position ?? position;
        if (rows.length === BATCH) wantsMore = true;
      }
    } catch (error) {
      log.warn({ err: error }, 'the live feed could not be read; it is tried again');
    } finally {
      isReading = false;
    }
  }

  function hand(row: FeedRow): void {
    const seats = byTenant.get(row.tenant_id);
    if (seats === undefined) return;
    const event = liveEvent(row.tenant_id, viewEvent(row));
    for (const seat of seats) if (seat.isLive && !seat.deliver(event)) void recover(seat);
  }

  function keepAlive(): void {
    for (const seats of byTenant.values()) for (const seat of seats) seat.reader.keepAlive();
    checkReaders();
  }

  function checkReaders(): void {
    for (const seats of byTenant.values())
      for (const seat of seats) {
        seat.reader.isStillAllowed().then(
          (isAllowed) => {
            if (!isAllowed) seat.reader.close('signed_out');
          },
          // Not known at the moment: asked again next time.
          () => undefined,
        );
      }
  }

  function leave(seat: Seat): void {
    seat.hasLeft = true;
    const seats = byTenant.get(seat.reader.tenantId);
    seats?.delete(seat);
    if (seats?.size === 0) byTenant.delete(seat.reader.tenantId);
    if (byTenant.size === 0) stop();
  }

  /** Sends what the seat has not had yet. It goes live at a moment at which there is nothing left to send. */
  async function catchUp(seat: Seat): Promise<void> {
    const { tenantId } = seat.reader;
    while (!seat.hasLeft && position !== undefined && seat.position < position) {
      const upTo = position;
      const rows = await source.readMissed(tenantId, seat.position, upTo, MISSED_BATCH);
      for (const row of rows) {
        const hasRoom = seat.deliver(liveEvent(tenantId, viewEvent(row)));
        if (!hasRoom && !(await seat.reader.drained())) return drop(seat);
      }
      if (rows.length < MISSED_BATCH) seat.position = Math.max(seat.position, upTo);
    }
    seat.isLive = true;
  }

  async function recover(seat: Seat): Promise<void> {
    seat.isLive = false;
    try {
      if (await seat.reader.drained()) await catchUp(seat);
      else drop(seat);
    } catch (error) {
      log.warn({ err: error }, 'a reader of the live feed could not catch up');
      drop(seat);
    }
  }

  function drop(seat: Seat): void {
    if (!seat.hasLeft) seat.reader.close('too_slow');
  }

  return {
    async join(reader, after) {
      const seat = new Seat(reader);
      const seats = byTenant.get(reader.tenantId) ?? new Set();
      byTenant.set(reader.tenantId, seats.add(seat));
      try {
        await start();
        seat.position = after ?? position ?? 0;
        await catchUp(seat);
        return () => leave(seat);
      } catch (error) {
        leave(seat);
        throw error;
      }
    },
    get readers() {
      return [...byTenant.values()].reduce((count, seats) => count + seats.size, 0);
    },
    checkReaders,
    close() {
      for (const seats of byTenant.values()) for (const seat of [...seats]) seat.reader.close('shutting_down');
      byTenant.clear();
      stop();
    },
  };
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
    const { runId, types } = this.reader;
    if (event.position <= this.position) return true;
    this.position = event.position;
    if (runId !== undefined && event.runId !== runId) return true;
    if (types !== undefined && !types.has(event.type)) return true;
    return this.reader.send(event);
  }
}

function liveEvent(tenantId: string, view: EventView): LiveEvent {
  return {
    position: Number(view.position),
    tenantId,
    runId: view.run_id,
    type: view.type,
    json: JSON.stringify(view),
  };
}
