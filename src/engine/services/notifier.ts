// The notifier: carries wake-ups between processes. Sending is debounced per process, so a burst of enqueues is one NOTIFY;
// receiving has a connection of its own that is rebuilt when it breaks. A lost wake-up costs one poll interval, never a run.
import type pg from 'pg';
import type { Pool } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { waitAtMost } from '../../platform/wait.ts';
import { channels, listen, notify, ping } from '../sql/notify.ts';

export interface NotifierOptions {
  readonly pool: Pool;
  readonly connect: (answerWithinMs: number) => Promise<pg.Client>;
  readonly log: Log;
  /** With the lane of which a few runs were enqueued, if the wake-up says so. */
  readonly onReady: (lane?: string) => void;
  readonly onCancel: (runId: string, by: string) => void;
  readonly onEvents: () => void;
}

export interface Notifier {
  /** Listens; for new work only where somebody works on it: who merely enqueues would be woken by its own commits. */
  start(hears: { work: boolean }): void;
  stop(): Promise<void>;
  /** Tells all processes, this one included, that there is work or that there are events. */
  announce(channel: 'ready' | 'events'): void;
  announceCancel(runId: string, by: string): Promise<void>;
}

const RECONNECT_MS = 500;
/** Who only listens would never notice that the other side has gone: it asks now and then. */
const PROBE_EVERY_MS = 10_000;
const PROBE_WITHIN_MS = 5_000;

export function createNotifier(options: NotifierOptions): Notifier {
  const stop = new AbortController();
  const pending = new Set<'ready' | 'events'>();
  let sending = false;
  let listening: Promise<void> | undefined;
  let open: pg.Client | undefined;
  const heard = new Set<string>([channels.events, channels.cancel]);

  const handlers: Record<string, (payload: string) => void> = {
    [channels.ready]: (lane) => options.onReady(lane),
    [channels.events]: () => options.onEvents(),
    [channels.cancel]: (payload) => {
      const [runId = '', ...by] = payload.split(' ');
      options.onCancel(runId, by.join(' '));
    },
  };

  async function send(): Promise<void> {
    if (sending) return;
    sending = true;
    try {
      // While one NOTIFY is under way, further ones gather in `pending`.
      for (const channel of pending) {
        pending.delete(channel);
        await notify(options.pool, channels[channel]);
      }
    } catch (error) {
      pending.clear();
      options.log.debug({ err: error }, 'a wake-up was not sent; polling finds the work');
    } finally {
      sending = false;
    }
  }

  async function hear(client: pg.Client): Promise<void> {
    await listen(client, [...heard]);
    // What was announced before we listened.
    options.onReady();
    options.onEvents();
  }

  async function listenUntilBroken(): Promise<void> {
    const client = await options.connect(PROBE_WITHIN_MS);
    const broken = new AbortController();
    client.on('error', () => broken.abort());
    client.on('end', () => broken.abort());
    client.on('notification', (message) => handlers[message.channel]?.(message.payload ?? ''));
    try {
      open = client;
      await hear(client);
      await probe(client, AbortSignal.any([broken.signal, stop.signal]));
    } finally {
      open = undefined;
      await client.end().catch(() => {});
    }
  }

  async function keepListening(): Promise<void> {
    while (!stop.signal.aborted) {
      await listenUntilBroken().catch((error: unknown) =>
        options.log.warn({ err: error }, 'listening broke off; it is resumed'),
      );
      if (!stop.signal.aborted) await waitAtMost(RECONNECT_MS, stop.signal);
    }
  }

  return {
    start({ work }) {
      if (work) heard.add(channels.ready);
      // A connection that breaks under this is rebuilt and hears all.
      if (open) void hear(open).catch(() => {});
      listening ??= keepListening();
    },
    async stop() {
      stop.abort();
      await listening;
    },
    announce(channel) {
      pending.add(channel);
      void send();
    },
    async announceCancel(runId, by) {
      options.onCancel(runId, by);
      await notify(options.pool, channels.cancel, `${runId} ${by}`).catch(() => {});
    },
  };
}

async function probe(client: pg.Client, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await waitAtMost(PROBE_EVERY_MS, over);
    if (!over.aborted) await ping(client);
  }
}
