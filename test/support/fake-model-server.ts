// Services that answers are made with, as they speak on the wire: Anthropic's Messages, OpenAI's chat completions and Cohere's rerank. Each can
// be told to fail: hang, refuse, break off, or send what nobody can read.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export type Fault = 'hang' | 'refuse' | 'too-many' | 'garbage' | 'break-off';

export interface FakeModelServer {
  readonly url: string;
  /** What was asked, the newest last. */
  readonly requests: { readonly path: string; readonly headers: http.IncomingHttpHeaders; readonly body: FakeBody }[];
  /** What the model writes next, and from then on. */
  reply: (body: FakeBody) => string;
  /** Scores for the documents of a rerank request. */
  rank: (body: FakeBody) => unknown;
  fault: Fault | undefined;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever was sent
export type FakeBody = any;

export async function startFakeModelServer(): Promise<FakeModelServer> {
  const open = new Set<http.ServerResponse>();
  const server = http.createServer(async (request, response) => {
    open.add(response);
    response.once('close', () => open.delete(response));
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString()) as FakeBody;
    const path = request.url ?? '';
    fake.requests.push({ path, headers: request.headers, body });
    if (fake.fault === 'hang') return;
    if (fake.fault === 'refuse') return void response.writeHead(500).end('{"error":"secret of the provider"}');
    if (fake.fault === 'too-many')
      return void response.writeHead(429, { 'retry-after': '60' }).end('{"error":"secret of the provider"}');
    if (fake.fault === 'garbage')
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"half\n\n');
    if (path === '/v2/rerank')
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ id: 'x', results: fake.rank(body) }));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const speak = path === '/v1/messages' ? anthropic : openai;
    for (const frame of speak(fake.reply(body), fake.fault === 'break-off')) response.write(frame);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeModelServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    reply: () => 'NOT_IN_DOCUMENTS',
    rank: () => [],
    fault: undefined,
    async close() {
      for (const response of open) response.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

/** In pieces of a few letters, as models write. */
const pieces = (text: string) => text.match(/[\s\S]{1,7}/g) ?? [];

function* anthropic(text: string, breaksOff: boolean): Generator<string> {
  const frame = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  yield frame('message_start', {
    message: { id: 'msg', role: 'assistant', usage: { input_tokens: 321, output_tokens: 1 } },
  });
  yield frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  for (const piece of pieces(text))
    yield frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text: piece } });
  if (breaksOff) return;
  yield frame('content_block_stop', { index: 0 });
  yield frame('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 45 } });
  yield frame('message_stop', {});
}

function* openai(text: string, breaksOff: boolean): Generator<string> {
  const frame = (data: unknown) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
  for (const piece of pieces(text)) yield frame({ choices: [{ index: 0, delta: { content: piece } }] });
  if (breaksOff) return;
  yield frame({ choices: [], usage: { prompt_tokens: 321, completion_tokens: 45 } });
  yield frame('[DONE]');
}
