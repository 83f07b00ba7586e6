// What a person opens in a browser: the console, the description of the API and the page of its errors. Loaded only by servers that have it; the API that a
// command opens for itself does not.
import type { FastifyInstance } from 'fastify';
import type { PipelinePartsByName } from '../pipeline-parts.ts';
import { serveConsole } from './console-files.ts';
import { serveDocs } from './docs.ts';
import { serveErrorPages } from './error-pages.ts';

export async function servePages(
  server: FastifyInstance,
  consoleFolder: string | undefined,
  pipelines: PipelinePartsByName | undefined,
): Promise<void> {
  serveErrorPages(server);
  await serveDocs(server, pipelines);
  await serveConsole(server, consoleFolder);
}
