// Lets Fastify pass multipart bodies through unread: routes that take uploads read the raw request themselves.
import type { FastifyInstance } from 'fastify';

export function passMultipartThrough(app: FastifyInstance): void {
  app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null));
}
