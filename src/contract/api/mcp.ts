// The Model Context Protocol over HTTP: what assistants speak.
import { z } from 'zod';
import type { Access } from './roles.ts';
import { defineRoutes, json } from './route.ts';

const Message = z.looseObject({ jsonrpc: z.literal('2.0') });

/** Every key, whatever its scopes: a tool asks for its own. Not support, which reads no documents. */
const access: Access = { kind: 'roles', roles: ['admin', 'user', 'service'], scope: null, openToKeys: true };

export const mcpRoutes = defineRoutes({
  'mcp.message': {
    tag: 'Search',
    summary: 'A message of an assistant (Model Context Protocol, streamable HTTP)',
    notes:
      'JSON-RPC, one message per request, without sessions and without a stream. Tools: search, ask, fetch_page, list_runs, why; each needs the role and the ' +
      'scope of the operation it calls (data:read, runs:read). A notification is answered with 202 and no body; GET and DELETE with 405.',
    access,
    body: Message,
    answer: json(z.looseObject({})),
  },
});
