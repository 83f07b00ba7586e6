// Idempotency-Key on every POST of someone signed in: the first request does the work, a repetition gets the same answer without
// doing it again, a different request under the same key is refused, a simultaneous one is asked to come back. Only success is
// kept: after a refusal nothing has happened, so the same key may be used for the corrected request.
//
// Sign-in itself is left out: it has no effect to repeat, and its answer must not be kept.
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../access/principal.ts';
import { inTenant } from '../../access/tenant-session.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { AppContext } from '../app-context.ts';
import { seal, unseal } from '../sealed-text.ts';
import {
  findStoredAnswer,
  type KeyName,
  releaseKey,
  renewKey,
  reserveKey,
  storeAnswer,
} from '../sql/reserve-idempotency-key.ts';

const LOCK_SECONDS = 60;
const RENEW_MS = 20_000;
const printable = /^[\x21-\x7e]{1,200}$/;

export function honourIdempotencyKeys(server: FastifyInstance, app: AppContext): void {
  server.decorateRequest('idempotency', null);
  server.addHook('preHandler', async (request, reply) => {
    const name = keyNameOf(request);
    if (name === undefined || request.principal === null) return;
    const hash = hashRequest(request, request.principal);
    const isOurs = await inTenant(app.pool, name.tenantId, (db) => reserveKey(db, name, hash, LOCK_SECONDS));
    if (!isOurs) return repeatAnswer(app, reply, name, hash);
    request.idempotency = hold(app, name);
  });
  server.addHook('onSend', async (request, reply, payload) => {
    const held = request.idempotency;
    request.idempotency = null;
    if (held !== null) await held.finish(reply.statusCode, typeof payload === 'string' ? payload : '');
    return payload;
  });
}

function keyNameOf(request: FastifyRequest): KeyName | undefined {
  const key = request.headers['idempotency-key'];
  const { operation } = request.routeOptions.config;
  if (key === undefined || request.method !== 'POST' || operation === undefined || request.principal === null)
    return undefined;
  if (typeof key !== 'string' || !printable.test(key)) throw new MillraceError('idempotency_key_invalid');
  return { tenantId: request.principal.tenantId, operation, key };
}

/** What makes two requests the same. A streamed body is known by its announced length only. */
function hashRequest(request: FastifyRequest, principal: Principal): Buffer {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0];
  const isStreamed = type === 'multipart/form-data';
  const body = isStreamed ? (request.headers['content-length'] ?? '') : JSON.stringify(sorted(request.body ?? null));
  const facts = [principal.actorId, request.url, type, body];
  return createHash('sha256').update(JSON.stringify(facts)).digest();
}

function hold(app: AppContext, name: KeyName) {
  const under = <T>(fn: Parameters<typeof inTenant<T>>[2]) => inTenant(app.pool, name.tenantId, fn);
  const warn = (error: unknown) =>
    app.log.warn({ err: error, operation: name.operation }, 'an idempotency key was not kept');
  const renewal = setInterval(() => {
    under((db) => renewKey(db, name, LOCK_SECONDS)).catch(warn);
  }, RENEW_MS).unref();
  return {
    key: name.key,
    async finish(status: number, body: string) {
      clearInterval(renewal);
      const isSuccess = status >= 200 && status < 300;
      await under((db) =>
        isSuccess ? storeAnswer(db, name, status, seal(app.secrets.answers, body)) : releaseKey(db, name),
      ).catch(warn);
    },
  };
}

async function repeatAnswer(app: AppContext, reply: FastifyReply, name: KeyName, hash: Buffer): Promise<FastifyReply> {
  const stored = await inTenant(app.pool, name.tenantId, (db) => findStoredAnswer(db, name));
  if (stored !== undefined && !stored.request_hash.equals(hash)) throw new MillraceError('idempotency_key_reused');
  const body = stored?.answer ? unseal(app.secrets.answers, stored.answer) : undefined;
  if (stored?.status == null || body === undefined)
    throw new MillraceError('idempotency_in_progress', {}, { retryAfterMs: 1_000 });
  reply.code(stored.status).header('idempotent-replayed', 'true');
  if (body !== '') reply.type('application/json; charset=utf-8');
  // Text is passed on as it is; the route's schema has seen it the first time.
  return reply.serializer((text: string) => text).send(body);
}

/** Keys in one order, so that two spellings of the same JSON are the same request. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, item]) => [name, sorted(item)]),
  );
}
