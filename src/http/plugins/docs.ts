// /docs: the API, browsable, from our own files under a policy without inline script or foreign origin.
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '../openapi.ts';
import { pagePolicy } from './security-headers.ts';

export async function serveDocs(server: FastifyInstance): Promise<void> {
  // The document is ours, made from the route table; the plugin only hands it to the page.
  const document = openApiDocument() as Parameters<typeof swagger>[1] extends never ? never : object;
  await server.register(swagger, { mode: 'static', specification: { document: document as never } });
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: pagePolicy,
    uiConfig: { deepLinking: true, persistAuthorization: false, validatorUrl: null, tryItOutEnabled: false },
  });
}
