// A store that speaks S3 for the sources bench, in a process of its own: any number of keys, listed in order from a number instead of a table, so
// that it costs as little as a store can and what is measured is ours. Prints its port.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { contentOfKey, etagOfKey, keyOf, numberOf } from './listing-keys.ts';

const objects = Number(process.argv[2] ?? 1_000);

const server = http.createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://s3');
  if (url.searchParams.has('list-type')) {
    const limit = Number(url.searchParams.get('max-keys') ?? 1_000);
    const after = url.searchParams.get('continuation-token') ?? url.searchParams.get('start-after');
    const from = after === null ? 1 : numberOf(after) + 1;
    const to = Math.min(objects, from + limit - 1);
    response.writeHead(200, { 'content-type': 'application/xml' }).end(page(from, to));
    return;
  }
  const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
  const content = contentOfKey(key);
  response
    .writeHead(200, { etag: etagOfKey(key), 'content-length': content.byteLength, 'content-type': 'text/csv' })
    .end(request.method === 'HEAD' ? undefined : content);
});

function page(from: number, to: number): string {
  const parts: string[] = [];
  for (let number = from; number <= to; number += 1) {
    const key = keyOf(number);
    parts.push(
      `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;${etagOfKey(key).slice(1, -1)}&quot;</ETag><Size>${contentOfKey(key).byteLength}</Size></Contents>`,
    );
  }
  const isMore = to < objects;
  const next = isMore ? `<NextContinuationToken>${keyOf(to)}</NextContinuationToken>` : '';
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><IsTruncated>${isMore}</IsTruncated>${next}${parts.join('')}</ListBucketResult>`;
}

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
