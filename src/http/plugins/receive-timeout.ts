// A request whose body does not arrive in time is answered and its connection closed. Uploads have their own pace limits, so the
// server-wide timeout of Node is off and this one holds for everything else.
import type { FastifyInstance } from 'fastify';
import { MillraceError } from '../../contract/errors/millrace-error.ts';

export function limitReceiving(server: FastifyInstance, timeoutMs: number): void {
  server.addHook('preParsing', async (request, reply, payload) => {
    if (request.headers['content-type']?.toLowerCase().startsWith('multipart/form-data')) return payload;
    const timer = setTimeout(() => {
      // Answered first: destroying the body would take the connection with it.
      reply.raw.once('finish', () => request.raw.destroy());
      reply.header('connection', 'close').send(new MillraceError('request_timeout'));
    }, timeoutMs).unref();
    payload.once('end', () => clearTimeout(timer));
    payload.once('close', () => clearTimeout(timer));
    return payload;
  });
}
