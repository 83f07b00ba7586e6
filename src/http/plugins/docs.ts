// /docs: the API, browsable, from our own files under a policy without inline script or foreign origin.
import swagger, { type StaticDocumentSpec } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { openApiOf } from '../openapi.ts';
import type { PipelinePartsByName } from '../pipeline-parts.ts';
import { pagePolicy } from './security-headers.ts';

export async function serveDocs(server: FastifyInstance, pipelines: PipelinePartsByName | undefined): Promise<void> {
  // The document is ours, made from the route table; the plugin only hands it to the page. It is made when somebody asks for it:
  // every command on this machine opens the API, and few read its description.
  const specification = { document: {} } as unknown as StaticDocumentSpec;
  await server.register(swagger, { mode: 'static', specification });
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: pagePolicy,
    transformSpecification: () => openApiOf(pipelines),
    transformSpecificationClone: false,
    theme: { title: 'Millrace API' },
    // Without the bar on top, which offers to load other people's documents.
    uiConfig: {
      layout: 'BaseLayout',
      deepLinking: true,
      persistAuthorization: false,
      validatorUrl: null,
      tryItOutEnabled: false,
    },
  });
}
