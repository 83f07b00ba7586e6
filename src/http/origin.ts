// Where a request came from, for the audit log.
import type { FastifyRequest } from 'fastify';
import type { Origin } from '../access/audit.ts';

export function originOf(request: Pick<FastifyRequest, 'ip' | 'id'>): Origin {
  return { ip: request.ip.replace(/^::ffff:/, '').replace(/%.*$/, ''), correlationId: request.id };
}
