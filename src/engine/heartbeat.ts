// Keeps one worker incarnation alive over a connection of its own, so that neither a busy pool nor a long transaction can
// starve it. Calls `onLost` once when another process has declared the incarnation lost.
import type pg from 'pg';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { translateDatabaseError } from '../platform/database-errors.ts';
import { failpoint } from '../platform/failpoints.ts';
import type { Log } from '../platform/log.ts';
import { waitAtMost } from '../platform/wait.ts';
import { renewWorker } from './sql/workers.ts';
import type { WorkerSigns } from './vitals.ts';

export interface HeartbeatOptions {
  readonly connect: (answerWithinMs: number) => Promise<pg.Client>;
  readonly workerId: string;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly log: Log;
  /** False: the worker cannot end what it holds; its lease is left to expire, so that others take over. */
  readonly vouches?: () => boolean;
  /** Told with every beat. */
  readonly signs: () => WorkerSigns;
  readonly onLost: () => void;
}

export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #stop = new AbortController();
  #beating: Promise<void> | undefined;
  #client: pg.Client | undefined;
  /** On the monotonic clock. */
  renewedAt = performance.now();

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  start(): void {
    this.#beating = this.#beat();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#beating;
    await this.#client?.end().catch(() => {});
  }

  async #beat(): Promise<void> {
    const { heartbeatMs } = this.#options;
    for (;;) {
      // After a failure it is tried again well within the lease.
      const renewed = await this.#renew();
      if (renewed === 'lost') return this.#options.onLost();
      await waitAtMost(renewed === 'not renewed' ? Math.min(heartbeatMs, 500) : heartbeatMs, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
    }
  }

  async #renew(): Promise<'renewed' | 'not renewed' | 'refused' | 'lost'> {
    const { connect, workerId, leaseMs, log, signs, vouches } = this.#options;
    if (vouches?.() === false) return 'not renewed';
    try {
      // A connection that went silent is given up early enough for another try within the lease.
      this.#client ??= await connect(leaseMs / 3);
      const alive = await renewWorker(this.#client, workerId, leaseMs, signs());
      this.renewedAt = performance.now();
      failpoint('heartbeat.after_renew');
      return alive ? 'renewed' : 'lost';
    } catch (error) {
      const ours = translateDatabaseError(error);
      if (ours instanceof MillraceError && ours.code === 'process_outdated') {
        log.error({ worker: workerId, code: ours.code }, `${ours.message} ${ours.next}`);
        return 'refused';
      }
      log.warn({ worker: workerId, err: error }, 'heartbeat did not reach the database');
      const broken = this.#client;
      this.#client = undefined;
      void broken?.end().catch(() => {});
      return 'not renewed';
    }
  }
}
