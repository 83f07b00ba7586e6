// No call may reach an address behind us: a canary listens on loopback and counts connections.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { classifyAddress } from './address-class.ts';
import { checkOutboundUrl, type GuardedRequest, guardedRequest } from './guarded-request.ts';

let connections = 0;
/** Which of our addresses the last connection was made to. */
let reached: string | undefined;
let canary: Server;
let port: number;

beforeAll(async () => {
  canary = createServer((request, response) => {
    if (request.url === '/redirect') return response.writeHead(302, { location: `http://127.0.0.1:${port}/in` }).end();
    if (request.url === '/huge') return response.end(Buffer.alloc(20_000_000, 'x'));
    if (request.url === '/never') return undefined;
    if (request.url === '/drip') return void response.writeHead(200).write('a');
    if (request.url === '/reset') return request.socket.destroy();
    if (request.url === '/busy') return response.writeHead(429, { 'retry-after': '7' }).end('later');
    return response.end(`${request.method} ${request.headers.host}`);
  });
  canary.on('connection', ({ localAddress }) => {
    connections += 1;
    reached = localAddress;
  });
  // On all addresses, so that 0.0.0.0, ::1 and the others would be heard too.
  await new Promise<void>((resolve) => canary.listen(0, '::', resolve));
  port = (canary.address() as AddressInfo).port;
});
beforeEach(() => {
  connections = 0;
  reached = undefined;
});
afterAll(() => {
  canary.closeAllConnections();
  canary.close();
});

const call = (url: string, more: Partial<GuardedRequest> = {}) =>
  guardedRequest({ url, timeoutMs: 60_000, allowPrivate: false, ...more });

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    (answer) => `answered ${JSON.stringify(answer)}`,
    (error: { code?: string }) => error.code,
  );

describe('an address behind us is refused before a connection is made', () => {
  const literals = [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '127.255.255.254',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '0',
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.1.1',
    '169.254.169.254',
    '0xa9fea9fe',
    '100.64.0.1',
    '100.100.100.200',
    '198.18.0.1',
    '192.0.0.8',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'canary.localhost',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000:0000:0000:0000:0000:0000:0000:0001]',
    '[::]',
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:0:127.0.0.1]',
    '[0:0:0:0:0:ffff:169.254.169.254]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2002:c0a8:1::1]',
    '[2001:0:7f00:1::]',
    '[fe80::1]',
    '[fec0::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    '[2001:db8::1]',
  ];
  it.each(literals)('http://%s/', async (host) => {
    expect(await codeOf(call(`http://${host}:${port}/in`))).toBe('outbound_address_refused');
    expect(connections).toBe(0);
  });

  it.each([
    [['127.0.0.1']],
    [['10.1.2.3']],
    [['::1']],
    [['fe80::1%eth0']],
    [['::ffff:127.0.0.1']],
    [['93.184.216.34', '127.0.0.1']],
    [['169.254.169.254', '93.184.216.34']],
    [['not an address']],
  ])('a name that resolves to %j', async (addresses) => {
    const refused = call(`http://hooks.example.com:${port}/in`, { resolve: async () => addresses });
    expect(await codeOf(refused)).toBe('outbound_address_refused');
    expect(connections).toBe(0);
  });

  it('a name of the hosts file that is this machine', async () => {
    expect(await codeOf(call(`http://localhost.:${port}/in`))).toBe('outbound_address_refused');
    expect(connections).toBe(0);
  });
});

describe('a name that changes between check and use', () => {
  it('is asked once per call, and the connection goes to the answer that was judged', async () => {
    let asked = 0;
    const rebinding = async () => {
      asked += 1;
      return asked === 1 ? ['127.0.0.2'] : ['127.0.0.1'];
    };
    // Both are this machine, and tell the canary which was taken; private ones are allowed so that one is used at all.
    const first = await call(`http://rebind.example:${port}/in`, { resolve: rebinding, allowPrivate: true });
    expect([first.status, asked, connections, reached]).toEqual([200, 1, 1, '::ffff:127.0.0.2']);
  });

  it('is judged again by the next call', async () => {
    const refused = call(`http://rebind.example:${port}/in`, { resolve: async () => ['127.0.0.1'] });
    expect(await codeOf(refused)).toBe('outbound_address_refused');
    expect(connections).toBe(0);
  });
});

describe('what is no web address', () => {
  it.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'javascript:alert(1)',
    'data:text/plain,x',
    'ws://example.com',
    'unix:/run/docker.sock',
    '//example.com',
    'example.com',
    '',
    'http://',
    'http://user:secret@example.com/',
    'http://user@example.com/',
    `https://example.com/${'a'.repeat(2_100)}`,
  ])('%j is refused', async (url) => {
    expect(await codeOf(call(url))).toBe('outbound_url_invalid');
    expect(() => checkOutboundUrl(url, true)).toThrow(/cannot call this address/);
  });

  it('a password in an address is not repeated in the error', () => {
    expect(() => checkOutboundUrl('http://user:hunter2@example.com/', false)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});

describe('with private addresses allowed', () => {
  const allowed = { allowPrivate: true };

  it('a loopback server is called, and the name is what it sees', async () => {
    const answer = await call(`http://hooks.example:${port}/in`, { ...allowed, resolve: async () => ['127.0.0.1'] });
    expect(answer).toMatchObject({ status: 200, text: `POST hooks.example:${port}` });
    expect(connections).toBe(1);
  });

  it('over TLS the certificate asked for is the name’s, not the address’s', async () => {
    const asked: string[] = [];
    const secure = createTlsServer({
      SNICallback: (name, answer) => {
        asked.push(name);
        answer(new Error('there is no certificate'));
      },
    });
    secure.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    const { port: securePort } = secure.address() as AddressInfo;
    const failed = call(`https://hooks.example:${securePort}/`, { ...allowed, resolve: async () => ['127.0.0.1'] });
    expect(await codeOf(failed)).toBe('outbound_unreachable');
    expect(asked).toEqual(['hooks.example']);
    await new Promise((resolve) => secure.close(resolve));
  });

  it('the next address is tried where the first does not listen', async () => {
    const answer = await call(`http://hooks.example:${port}/in`, {
      ...allowed,
      resolve: async () => ['::ffff:127.0.0.2', '127.0.0.1'],
    });
    expect(answer.status).toBe(200);
  });

  it('metadata, unspecified and multicast addresses are refused nevertheless', async () => {
    for (const host of ['169.254.169.254', '0.0.0.0', '[::]', '224.0.0.1', '[fd00:ec2::254]', '[::ffff:0.0.0.0]'])
      expect(await codeOf(call(`http://${host}:${port}/`, allowed))).toBe('outbound_address_refused');
    expect(connections).toBe(0);
  });

  it('a redirect is an answer and is not followed', async () => {
    expect(await call(`http://127.0.0.1:${port}/redirect`, allowed)).toMatchObject({ status: 302 });
    expect(connections).toBe(1);
  });

  it('only the beginning of a huge answer is read', async () => {
    const answer = await call(`http://127.0.0.1:${port}/huge`, allowed);
    expect(answer.text).toHaveLength(4_096);
  });

  it('a server that never answers, or never ends, is given up in time', async () => {
    for (const path of ['never', 'drip'])
      expect(await codeOf(call(`http://127.0.0.1:${port}/${path}`, { ...allowed, timeoutMs: 200 }))).toBe(
        'outbound_timeout',
      );
  });

  it('a resolver that never answers is given up in time', async () => {
    const hanging = call('http://slow.example/', { ...allowed, timeoutMs: 200, resolve: () => new Promise(() => {}) });
    expect(await codeOf(hanging)).toBe('outbound_timeout');
  });

  it('a connection that is reset, refused, or has no name is unreachable', async () => {
    expect(await codeOf(call(`http://127.0.0.1:${port}/reset`, allowed))).toBe('outbound_unreachable');
    expect(await codeOf(call(`http://127.0.0.1:${await closedPort()}/`, allowed))).toBe('outbound_unreachable');
    expect(await codeOf(call('http://nowhere.invalid/', { ...allowed, resolve: async () => [] }))).toBe(
      'outbound_unreachable',
    );
  });

  it('Retry-After is passed on', async () => {
    expect(await call(`http://127.0.0.1:${port}/busy`, allowed)).toMatchObject({ status: 429, retryAfterMs: 7_000 });
  });

  it('the caller can end it', async () => {
    const stop = new AbortController();
    const hanging = call(`http://127.0.0.1:${port}/never`, { ...allowed, signal: stop.signal });
    stop.abort();
    await expect(hanging).rejects.toMatchObject({ code: 'outbound_unreachable' });
  });
});

describe('classes of addresses', () => {
  it.each([
    '8.8.8.8',
    '93.184.216.34',
    '172.32.0.1',
    '100.128.0.1',
    '2606:2800:220:1::1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('%s is public', (address) => expect(classifyAddress(address)).toBe('public'));
});

async function closedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}
