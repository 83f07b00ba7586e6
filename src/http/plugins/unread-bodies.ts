// A request that is refused before its body has arrived (401, 403, 404, 409, 413): Node would read the rest and throw it away for as
// long as the sender goes on. Here it is read for a moment, so that the sender sees the answer, and then cut off. Begun before the
// answer is sent: afterwards Node has taken the body for itself and its bytes can no longer be counted.
import type { FastifyInstance } from 'fastify';
import { cutOffRefused, discardRest, type LingerLimits } from '../uploads/linger.ts';

export function limitUnreadBodies(server: FastifyInstance, limits: LingerLimits): void {
  server.addHook('onSend', async ({ raw }, reply, payload) => {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = raw.headers;
    if (reply.statusCode >= 400 && (encoding !== undefined || length !== '0')) discardRest(raw, limits);
    return payload;
  });
  server.addHook('preClose', async () => cutOffRefused(server.server));
}
