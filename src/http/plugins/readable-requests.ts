// What a request says must be text that can be stored, under names that the route knows: a NUL or half a character, an address whose
// percent-encoding is broken and a query parameter nobody reads are refused by name before a handler sees them. A parameter without a value
// is none. Rows of an upload are left alone: they are data, and each row has its own fate.
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { refuseUnknownNames } from '../../platform/known-names.ts';
import { requireStorable } from '../../platform/require-storable.ts';

export function requireReadableRequests(server: FastifyInstance): void {
  parseOnlyUtf8(server);
  server.addHook('preValidation', (request, _reply, done) => {
    const { spec } = request.routeOptions.config;
    const address = readAddress(request);
    // Pages, their files and what is not there: no handler of ours looks at their parts.
    if (spec === undefined) requireStorable(address, 'address');
    else {
      const { query } = spec;
      refuseUnknownNames('query parameter', Object.keys(request.query as object), Object.keys(query?.shape ?? {}));
      dropEmpty(request.query as Record<string, unknown>);
      requireStorable(request.params, 'address');
      requireStorable(request.query, 'query');
      requireStorable(spec.bodyKind === 'multipart' ? withoutRows(request.body) : request.body, 'body');
    }
    done();
  });
}

/** `?status=&after=` asks for what no `status` and no `after` ask for. */
function dropEmpty(query: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(query)) if (value === '') delete query[name];
}

/** Decoded as it comes, a broken byte would be replaced, and something else stored than was sent. */
function parseOnlyUtf8(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (isUtf8(body)) void parse(request, body.toString(), done);
    else done(new MillraceError('body_not_utf8'));
  });
}

function readAddress(request: FastifyRequest): string {
  try {
    return decodeURIComponent(request.raw.url ?? '');
  } catch {
    throw new MillraceError('address_malformed');
  }
}

function withoutRows(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('rows' in body) || !Array.isArray(body.rows)) return body;
  const { rows: _, ...rest } = body;
  return rest;
}
