// GET /openapi.json: the route table as OpenAPI 3.1, with the routes of this installation's own pipelines.

import { handle } from '../../call.ts';
import { openApiOf } from '../../openapi.ts';
import type { PipelinePartsByName } from '../../pipeline-parts.ts';

/** By the pipelines of the app: a test opens several. */
const texts = new WeakMap<PipelinePartsByName, string>();
const none: PipelinePartsByName = {};

export const openapi = handle('system.openapi', async ({ app, reply }) => {
  const pipelines = app.pipelines ?? none;
  const text = texts.get(pipelines) ?? JSON.stringify(openApiOf(pipelines));
  texts.set(pipelines, text);
  return reply.type('application/json; charset=utf-8').header('cache-control', 'public, max-age=300').send(text);
});
