// The same feed over a WebSocket: one JSON event per message. It ignores what the client sends.
import { setTimeout as pause } from 'node:timers/promises';
import type { WebSocket } from '@fastify/websocket';
import type { Call } from '../call.ts';
import type { CloseReason, LiveEvent } from './feed.ts';
import { DRAIN_MS, feedOf, MAX_BEHIND_BYTES, readerBase, startOf } from './follow.ts';

const closeCodes: Record<CloseReason, number> = { too_slow: 1013, signed_out: 1008, shutting_down: 1001 };

const LOOK_EVERY_MS = 25;

export async function socketEvents(
  call: Call<'live.socket'>,
  socket: WebSocket,
  runId: string | undefined,
): Promise<void> {
  const reader = {
    ...readerBase(call, runId),
    send(event: LiveEvent) {
      if (socket.readyState !== socket.OPEN) return true;
      socket.send(event.json);
      return socket.bufferedAmount < MAX_BEHIND_BYTES;
    },
    drained: () => whenDrained(socket),
    keepAlive() {
      if (socket.readyState === socket.OPEN) socket.ping();
    },
    close,
  };
  let isGone = false;
  let leave: (() => void) | undefined;
  socket.on('error', () => undefined);
  socket.once('close', () => {
    isGone = true;
    leave?.();
  });
  leave = await feedOf(call).join(reader, startOf(call));
  if (isGone) leave();

  function close(reason: CloseReason): void {
    socket.close(closeCodes[reason], reason);
    setTimeout(() => socket.terminate(), 1_000).unref();
  }
}

/** A WebSocket has no event for it, so it is looked at from time to time. */
async function whenDrained(socket: WebSocket): Promise<boolean> {
  const deadline = performance.now() + DRAIN_MS;
  while (socket.readyState === socket.OPEN && socket.bufferedAmount > 0) {
    if (performance.now() > deadline) return false;
    await pause(LOOK_EVERY_MS);
  }
  return true;
}
