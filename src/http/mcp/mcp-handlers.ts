// POST /mcp: one JSON-RPC message of an assistant, answered at once and without a session. Tools call the API of this very server with the
// caller's credential, so that a key without a scope is refused there as anywhere.
import type { FastifyRequest } from 'fastify';
import { type Client, createClient } from '../../contract/api/client.ts';
import { handle } from '../call.ts';
import { createMcpServer } from './mcp-server.ts';

/** What tells who calls, and from where. */
const passedOn = ['authorization', 'cookie', 'millrace-tenant', 'origin', 'sec-fetch-site'] as const;

export const mcpHandlers = handle('mcp.message', async ({ request, reply, body, principal, trail }) => {
  // What a tool does is written down by the operation it calls.
  trail.changedNothing();
  // Loaded with the first message: a server that no assistant calls does not pay for it.
  const { WebStandardStreamableHTTPServerTransport } = await import('@modelcontextprotocol/server');
  const server = await createMcpServer(clientOf(request, principal.tenantId));
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  try {
    await server.connect(transport);
    const answer = await transport.handleRequest(messageOf(request), { parsedBody: body });
    reply.code(answer.status);
    const text = await answer.text();
    if (text !== '') return JSON.parse(text) as Record<string, unknown>;
    reply.serializer(() => '');
    return {};
  } finally {
    await server.close();
  }
});

/** The body is read and checked by now. Every answer is JSON, so it does not matter which forms the caller takes. */
function messageOf(request: FastifyRequest): Request {
  const version = request.headers['mcp-protocol-version'];
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(typeof version === 'string' ? { 'mcp-protocol-version': version } : {}),
    },
  });
}

/** The API of this server, without a socket in between. */
function clientOf(request: FastifyRequest, tenantId: string): Client {
  const headers = Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  return createClient({
    baseUrl: 'http://localhost',
    headers: { ...headers, host: request.host, 'x-correlation-id': request.id },
    fetch: async (input, init) => {
      const url = new URL(String(input));
      // The tenant of the message is that of its tools; the API refuses a credential of another.
      url.searchParams.set('tenant_id', tenantId);
      const answer = await request.server.inject({
        method: init?.method === 'POST' ? 'POST' : 'GET',
        url: `${url.pathname}${url.search}`,
        headers: init?.headers as Record<string, string>,
        remoteAddress: request.ip,
        ...(typeof init?.body === 'string' ? { payload: init.body } : {}),
      });
      return new Response(answer.rawPayload, {
        status: answer.statusCode,
        headers: { 'content-type': String(answer.headers['content-type']) },
      });
    },
  });
}
