// A service that embeds, for tests: vectors made from the hash of a text, in any number of dimensions. It can be told to be silent or down.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeEmbeddings {
  readonly url: string;
  /** Every text it was asked for, in order. */
  readonly texts: string[];
  /** Requests that were answered, and those that were left without one. */
  answered: number;
  held: number;
  /** Leaves requests without an answer from this one on (counted from 0). Infinity: answers all. */
  holdFrom: number;
  isDown: boolean;
  close(): Promise<void>;
}

export async function startFakeEmbeddings(dims: number): Promise<FakeEmbeddings> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      if (fake.isDown) return void response.writeHead(503).end();
      if (fake.answered >= fake.holdFrom) {
        fake.held += 1;
        return undefined;
      }
      const { input } = JSON.parse(body) as { input: string[] };
      fake.texts.push(...input);
      fake.answered += 1;
      response.setHeader('content-type', 'application/json');
      return void response.end(
        JSON.stringify({ data: input.map((text, index) => ({ index, embedding: vectorOf(text, dims) })) }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeEmbeddings = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    texts: [],
    answered: 0,
    held: 0,
    holdFrom: Number.POSITIVE_INFINITY,
    isDown: false,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

function vectorOf(text: string, dims: number): number[] {
  const bytes = createHash('shake256', { outputLength: dims }).update(text).digest();
  return [...bytes].map((byte) => byte - 127.5);
}
