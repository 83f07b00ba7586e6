// What every answer carries that is sent as Server-Sent Events.
import { apiPolicy } from '../plugins/security-headers.ts';

export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': apiPolicy,
  'x-content-type-options': 'nosniff',
  // Proxies must not gather events before passing them on.
  'x-accel-buffering': 'no',
  // The connection ends with the stream, so that a stopping server has nothing to wait for.
  connection: 'close',
};
