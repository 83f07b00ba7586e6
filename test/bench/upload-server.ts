// The two servers the upload bench compares, each in its own process: `bare` only hashes the body and writes it to disk, `millrace`
// is the streamed intake (multipart, sniffing, caps, pacing, hash, fsync, exclusive name). Prints its port, answers
// GET /memory with the largest RSS seen since the last GET /memory.
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import Fastify from 'fastify';
import { MillraceError } from '../../src/contract/errors/millrace-error.ts';
import type { Sniff } from '../../src/engine/blobs/store-file.ts';
import { passMultipartThrough } from '../../src/http/uploads/multipart-body.ts';
import { receiveUpload } from '../../src/http/uploads/receive-upload.ts';
import { defaultUploadLimits } from '../../src/http/uploads/upload-limits.ts';
import { DiskBlobStore } from '../../src/platform/blob/disk-blob-store.ts';

const [, , kind, folder = '/tmp'] = process.argv;
const tenantId = randomUUID();
const sniff: Sniff = () => ({ format: 'csv', mediaType: 'text/csv' });
let peakRss = 0;

function samplePeak(): void {
  peakRss = Math.max(peakRss, process.memoryUsage.rss());
}
setInterval(samplePeak, 2).unref();

function takePeak(): { peak: number; now: number } {
  const peak = peakRss;
  peakRss = 0;
  return { peak, now: process.memoryUsage.rss() };
}

async function bare(): Promise<number> {
  const server = http.createServer(async (request, response) => {
    if (request.url === '/memory') return void response.end(JSON.stringify(takePeak()));
    const hash = createHash('sha256');
    request.on('data', (chunk: Buffer) => hash.update(chunk));
    await pipeline(request, createWriteStream(join(folder, randomUUID())));
    response.writeHead(202).end(JSON.stringify({ sha256: hash.digest('hex') }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as { port: number }).port;
}

async function millrace(): Promise<number> {
  const store = new DiskBlobStore({ root: folder });
  const app = Fastify();
  passMultipartThrough(app);
  app.get('/memory', () => takePeak());
  app.setErrorHandler((error, _request, reply) => {
    return reply.code(error instanceof MillraceError ? error.status : 500).send({ code: String(error) });
  });
  app.post('/', async (request, reply) => {
    const { file } = await receiveUpload(request.raw, { store, tenantId, sniff }, defaultUploadLimits);
    return reply.code(202).send({ blobId: file.blobId, sha256: file.sha256.toString('hex') });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as { port: number }).port;
}

process.stdout.write(`${await (kind === 'bare' ? bare() : millrace())}\n`);
process.on('disconnect', () => process.exit(0));
