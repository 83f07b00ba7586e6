// Reads the outbox on, by position, for everybody who follows: from the moment somebody does until nobody does any more. One read at a time.
import type { FeedRow } from '../../engine/sql/event-feed.ts';
import type { Log } from '../../platform/log.ts';

const BATCH = 2_000;

/** An event; with whom its run belongs to where that is not everybody's (null: nobody's but admins'). */
export type TailRow = FeedRow & { readonly owner?: string | null };

export interface OutboxSource {
  /** Events of all tenants after a position. */
  read(after: number, limit: number): Promise<readonly TailRow[]>;
  lastPosition(): Promise<number>;
  /** Calls back whenever there may be new events; returns how to stop. */
  onEvents(listener: () => void): () => void;
}

export interface OutboxTailOptions {
  readonly source: OutboxSource;
  readonly log: Log;
  readonly pollMs: number;
  readonly onRow: (row: TailRow) => void;
}

export class OutboxTail {
  readonly #options: OutboxTailOptions;
  #position: number | undefined;
  #starting: Promise<number> | undefined;
  #isReading = false;
  #wantsMore = false;
  #stopListening: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OutboxTailOptions) {
    this.#options = options;
  }

  /** How far it has read; undefined while nobody follows. */
  get position(): number | undefined {
    return this.#position;
  }

  /** From the first reader on: where the live part begins. */
  start(): Promise<number> {
    const { source, pollMs } = this.#options;
    this.#starting ??= source.lastPosition().then((last) => {
      this.#position = last;
      this.#stopListening = source.onEvents(() => void this.#readOn());
      this.#timer = setInterval(() => void this.#readOn(), pollMs).unref();
      return last;
    });
    this.#starting.catch(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  stop(): void {
    this.#stopListening?.();
    clearInterval(this.#timer);
    this.#stopListening = undefined;
    this.#starting = undefined;
    this.#position = undefined;
  }

  /** A wake-up during a read makes it look once more. */
  async #readOn(): Promise<void> {
    this.#wantsMore = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#wantsMore && this.#position !== undefined) await this.#readBatch(this.#position);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the live feed could not be read; it is tried again');
    } finally {
      this.#isReading = false;
    }
  }

  async #readBatch(after: number): Promise<void> {
    this.#wantsMore = false;
    const rows = await this.#options.source.read(after, BATCH);
    // Stopped meanwhile: nobody follows any more.
    if (this.#position === undefined) return;
    for (const row of rows) this.#options.onRow(row);
    this.#position = rows.at(-1)?.position ?? this.#position;
    if (rows.length === BATCH) this.#wantsMore = true;
  }
}
