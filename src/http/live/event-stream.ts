// Server-Sent Events: one answer that never ends. Node's own buffer tells how far a reader is behind.
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Call } from '../call.ts';
import type { CloseReason, LiveEvent } from './feed.ts';
import { DRAIN_MS, feedOf, MAX_BEHIND_BYTES, readerBase, startOf } from './follow.ts';
import { streamHeaders } from './stream-headers.ts';

const RECONNECT_MS = 2_000;

export async function streamEvents(
  call: Call<'live.stream'> | Call<'live.run-stream'>,
  runId: string | undefined,
): Promise<FastifyReply> {
  const { reply, request } = call;
  const feed = feedOf(call);
  const after = startOf(call);
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { ...streamHeaders, 'x-correlation-id': request.id });
  raw.write(`retry: ${RECONNECT_MS}\n\n`);
  // Small frames must leave at once.
  raw.socket?.setNoDelay(true);
  const close = (reason: CloseReason) => {
    raw.write(`event: ${reason === 'too_slow' ? 'dropped' : 'closed'}\ndata: {"reason":"${reason}"}\n\n`);
    raw.end();
    // A reader that takes nothing would keep the connection for ever.
    setTimeout(() => raw.destroy(), 1_000).unref();
  };
  const reader = {
    ...readerBase(call, runId),
    send(event: LiveEvent) {
      if (raw.writableEnded) return true;
      raw.write(frame(event));
      return raw.writableLength < MAX_BEHIND_BYTES;
    },
    drained: () => whenDrained(raw),
    keepAlive() {
      if (!raw.writableEnded) raw.write(': alive\n\n');
    },
    close,
  };
  let isGone = false;
  let leave: (() => void) | undefined;
  raw.once('close', () => {
    isGone = true;
    leave?.();
  });
  try {
    leave = await feed.join(reader, after);
    if (isGone) leave();
  } catch (error) {
    call.app.log.warn({ err: error }, 'a reader of the live feed could not join');
    raw.destroy();
  }
  return reply;
}

/** Node says "drain" when everything has been taken. */
function whenDrained(raw: ServerResponse): Promise<boolean> {
  if (raw.writableLength === 0 || raw.destroyed) return Promise.resolve(true);
  return new Promise((resolve) => {
    const settle = (isDrained: boolean) => {
      clearTimeout(timer);
      raw.off('drain', onDrain);
      raw.off('close', onDrain);
      resolve(isDrained);
    };
    const onDrain = () => settle(true);
    const timer = setTimeout(() => settle(false), DRAIN_MS).unref();
    raw.once('drain', onDrain);
    raw.once('close', onDrain);
  });
}

const frames = new WeakMap<LiveEvent, Buffer>();

/** Written out once per event, however many readers it has. JSON holds no line break. */
function frame(event: LiveEvent): Buffer {
  const known = frames.get(event);
  if (known !== undefined) return known;
  const bytes = Buffer.from(`id: ${event.position}\nevent: ${event.type}\ndata: ${event.json}\n\n`);
  frames.set(event, bytes);
  return bytes;
}
