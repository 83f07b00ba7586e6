// A request that asked for an upgrade and got an ordinary answer: Node no longer counts its connection, so nobody would ever close
// it and a stopping server would wait for it. This plugin closes it once the answer is out.
import type { FastifyInstance } from 'fastify';

export function closeRefusedUpgrades(server: FastifyInstance): void {
  server.addHook('onResponse', (request, _reply, done) => {
    if (request.headers.upgrade !== undefined) request.raw.socket.destroySoon();
    done();
  });
}
