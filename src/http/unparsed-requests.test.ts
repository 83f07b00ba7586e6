// What Node itself refuses never reaches a route; its answer is a problem object all the same.
import { once } from 'node:events';
import { createServer } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerUnparsed } from './plugins/unparsed-requests.ts';

const server = createServer((_, response) => response.end('reached'));
server.on('clientError', answerUnparsed);
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function send(head: string): Promise<{ status: number; head: string; body: string }> {
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.write(Buffer.from(head, 'latin1'));
  await once(socket, 'close');
  const [top = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(top.split(' ')[1]), head: top.toLowerCase(), body };
}

describe('a request that cannot be parsed', () => {
  it.each([
    ['a NUL in a header', 'GET / HTTP/1.1\r\nhost: x\r\nx-any: a\0b\r\n\r\n', 400, 'request_unparsed'],
    ['a NUL in the address', 'GET /a\0b HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'request_unparsed'],
    ['an address that is not encoded', 'GET /\xff\xfe HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'request_unparsed'],
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'request_unparsed'],
    ['headers without end', `GET / HTTP/1.1\r\nhost: x\r\nx-any: ${'a'.repeat(40_000)}`, 431, 'headers_too_large'],
  ])('%s is answered by a problem object', async (_, request, status, code) => {
    const answer = await send(request);
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([status, code]);
    expect(answer.head).toContain('content-type: application/problem+json');
    expect(answer.head).toContain('x-correlation-id: ');
    expect(JSON.parse(answer.body)).toMatchObject({
      status,
      next: expect.any(String),
      correlation_id: expect.any(String),
    });
  });
});
