// The HTTP app: plugins in the order in which a request meets them, then the route table. It opens and owns nothing but itself.
import fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { createAuthenticator } from '../access/authenticate.ts';
import { requireClosedDoor } from '../access/open-door.ts';
import type { AppContext, AppDeps } from './app-deps.ts';
import './fastify-fields.ts';
import { ownHandlers } from './handlers.ts';
import { authenticateRequests } from './plugins/authentication.ts';
import { serveConsole } from './plugins/console-files.ts';
import { serveDocs } from './plugins/docs.ts';
import { answerErrors } from './plugins/error-answers.ts';
import { honourIdempotencyKeys } from './plugins/idempotency.ts';
import { limitReceiving } from './plugins/receive-timeout.ts';
import { correlationIdOf, nameRequests } from './plugins/request-identity.ts';
import { measureRequests } from './plugins/request-metrics.ts';
import { addSecurityHeaders } from './plugins/security-headers.ts';
import { guardWorkspace } from './plugins/workspace-guard.ts';
import { registerRoutes } from './register-routes.ts';
import { passMultipartThrough } from './uploads/multipart-body.ts';

export async function createApp(deps: AppDeps): Promise<FastifyInstance> {
  const { settings } = deps;
  requireClosedDoor(settings);
  const app: AppContext = {
    ...deps,
    authenticator: deps.authenticator ?? createAuthenticator({ pool: deps.pool, tokenSecret: deps.secrets.token }),
  };
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
  });
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  answerErrors(server, app);
  nameRequests(server);
  measureRequests(server);
  addSecurityHeaders(server);
  passMultipartThrough(server);
  authenticateRequests(server, app);
  limitReceiving(server, settings.receiveTimeoutMs);
  guardWorkspace(server);
  honourIdempotencyKeys(server, app);
  await serveDocs(server);
  registerRoutes(server, app, { ...ownHandlers, ...deps.handlers });
  await serveConsole(server, settings.consoleFolder);
  return server;
}
