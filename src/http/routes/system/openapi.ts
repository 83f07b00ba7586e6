// GET /openapi.json: the route table as OpenAPI 3.1.
import { handle } from '../../call.ts';
import { openApiDocument } from '../../openapi.ts';

let text: string | undefined;

export const openapi = handle('system.openapi', async ({ reply }) => {
  text ??= JSON.stringify(openApiDocument());
  return reply.type('application/json; charset=utf-8').header('cache-control', 'public, max-age=300').send(text);
});
