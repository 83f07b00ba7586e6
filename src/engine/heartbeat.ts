// Keeps one worker incarnation alive over a connection of its own, so that neither a busy pool nor a long transaction can
// starve it. Says `onLost` once when the incarnation was declared lost.
import type pg from 'pg';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { failpoint } from '../platform/failpoints.ts';
import type { Log } from '../platform/log.ts';
import { waitAtMost } from '../platform/wait.ts';
import { renewWorker } from './sql/workers.ts';

export interface HeartbeatOptions {
  readonly connect: () => Promise<pg.Client>;
  readonly workerId: string;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly log: Log;
  readonly onLost: () => void;
}

export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #stop = new AbortController();
  #beating: Promise<void> | undefined;
  #client: pg.Client | undefined;

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
      await waitAtMost(renewed === 'renewed' ? heartbeatMs : Math.min(heartbeatMs, 500), this.#stop.signal);
      if (this.#stop.signal.aborted) return;
    }
  }

  async #renew(): Promise<'renewed' | 'unreachable' | 'lost'> {
    const { connect, workerId, leaseMs, log } = this.#options;
    try {
      this.#client ??= await connect();
      const alive = await inTime(renewWorker(this.#client, workerId, leaseMs), leaseMs / 2);
      failpoint('heartbeat.after_renew');
      return alive ? 'renewed' : 'lost';
    } catch (error) {
      log.warn({ worker: workerId, err: error }, 'heartbeat did not reach the database');
      const broken = this.#client;
      this.#client = undefined;
      void broken?.end().catch(() => {});
      return 'unreachable';
    }
  }
}

/** A connection that has gone deaf must not silence the heartbeat: give it up well within the lease. */
async function inTime<T>(answer: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new MillraceError('database_lost')), ms);
  });
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
    answer.catch(() => {});
  }
}
