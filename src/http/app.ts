// The HTTP app: plugins in the order in which a request meets them, then the route table. It opens and owns nothing but itself.
import websocket from '@fastify/websocket';
import fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { type Authenticator, createAuthenticator } from '../access/authenticate.ts';
import { requireLoopbackWithoutAuthentication } from '../access/without-authentication.ts';
import type { AppContext } from './app-context.ts';
import type { AppDeps } from './app-deps.ts';
import './fastify-fields.ts';
import { ownHandlers } from './handlers.ts';
import { createFeed } from './live/feed.ts';
import { engineFeedSource } from './live/feed-source.ts';
import { registerOwnRoutes } from './own-routes.ts';
import { authenticateRequests, isStillAllowed } from './plugins/authentication.ts';
import { answerErrors, sendError } from './plugins/error-answers.ts';
import { honourIdempotencyKeys } from './plugins/idempotency.ts';
import { requireReadableRequests } from './plugins/readable-requests.ts';
import { limitReceiving } from './plugins/receive-timeout.ts';
import { closeRefusedUpgrades } from './plugins/refused-upgrades.ts';
import { correlationIdOf, nameRequests } from './plugins/request-identity.ts';
import { measureRequests } from './plugins/request-metrics.ts';
import { addSecurityHeaders } from './plugins/security-headers.ts';
import { answerUnparsed } from './plugins/unparsed-requests.ts';
import { limitUnreadBodies } from './plugins/unread-bodies.ts';
import { guardWorkspace } from './plugins/workspace-guard.ts';
import { registerRoutes } from './register-routes.ts';
import { privatePipelines } from './run-views/hidden-runs.ts';
import { passMultipartThrough } from './uploads/multipart-body.ts';

const MAX_SOCKET_MESSAGE_BYTES = 1024;

export async function createApp(deps: AppDeps): Promise<FastifyInstance> {
  const { settings } = deps;
  requireLoopbackWithoutAuthentication(settings);
  const app = contextOf(deps);
  const server = fastify({
    genReqId: correlationIdOf,
    bodyLimit: settings.maxBodyBytes,
    trustProxy: settings.trustProxy,
    // Uploads keep their own pace (see uploads/request-body.ts); everything else is limited by receive-timeout.
    requestTimeout: 0,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    http: { headersTimeout: 20_000 },
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 256 },
    logger: false,
    clientErrorHandler: answerUnparsed,
    // Refused before any route is known, so no error handler would see it.
    frameworkErrors: (error, request, reply) => sendError(app, error, request, reply),
  });
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  answerErrors(server, app);
  nameRequests(server);
  measureRequests(server);
  addSecurityHeaders(server);
  closeRefusedUpgrades(server);
  passMultipartThrough(server);
  authenticateRequests(server, app);
  limitReceiving(server, settings.receiveTimeoutMs);
  limitUnreadBodies(server, settings.unreadBody);
  guardWorkspace(server, app);
  requireReadableRequests(server);
  honourIdempotencyKeys(server, app);
  await server.register(websocket, { options: { maxPayload: MAX_SOCKET_MESSAGE_BYTES } });
  registerRoutes(server, app, { ...ownHandlers, ...deps.handlers });
  registerOwnRoutes(server, app);
  if (settings.pages !== false) {
    const { servePages } = await import('./plugins/pages.ts');
    await servePages(server, settings.consoleFolder, deps.pipelines);
  }
  // Streams never end by themselves; they must be gone before the server waits for its requests.
  server.addHook('preClose', async () => app.feed?.close());
  return server;
}

function contextOf(deps: AppDeps): AppContext {
  const { pool, secrets, settings, engine, log } = deps;
  const known = deps.authenticator ?? createAuthenticator({ pool, tokenSecret: secrets.token });
  const feed = engine ? createFeed({ source: engineFeedSource(engine, pool, privatePipelines(deps)), log }) : undefined;
  const authenticator: Authenticator = {
    authenticate: (credential, reach) => known.authenticate(credential, reach),
    forget(tenantId, id) {
      known.forget(tenantId, id);
      // Streams that were opened with it end now, not at their next keep-alive.
      feed?.checkReaders();
    },
  };
  return {
    ...deps,
    authenticator,
    ...(feed ? { feed } : {}),
    isStillAllowed: (request, principal) => isStillAllowed({ authenticator, settings }, request, principal),
  };
}
