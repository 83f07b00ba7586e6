// A correlation id for every request, taken from the caller when it has a harmless shape, and sent back.
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { uuidv7 } from '../../platform/ids.ts';

const harmless = /^[A-Za-z0-9._-]{8,64}$/;

export function correlationIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-correlation-id'];
  return typeof given === 'string' && harmless.test(given) ? given : uuidv7();
}

export function nameRequests(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-correlation-id', request.id);
    done();
  });
}
