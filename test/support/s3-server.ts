// An S3 server for tests: fauxqs (a real S3-protocol server from npm) behind a front on loopback that adds what fauxqs lacks
// (If-None-Match on writes, listing open multipart uploads, keys in the order of their bytes and percent-encoded, tags, versions) and can be told to
// fail, hang up or stall on chosen requests.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { startFauxqs } from 'fauxqs';

export interface Fault {
  readonly method: string;
  /** Tested against path and query. */
  readonly url: RegExp;
  readonly times: number;
  readonly act:
    | { readonly status: number; readonly code: string; readonly message?: string }
    | { readonly location: string }
    /** This instead of what there is. */
    | { readonly xml: string }
    /** What there is, but not before. */
    | { readonly until: Promise<void> }
    | 'hang-up'
    | 'stall'
    | 'hang-up-after'
    /** The first half of the answer, then nothing. */
    | 'cut';
}

export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  /** Every request seen, as "METHOD /path?query". */
  readonly requests: string[];
  /** The headers of each. */
  readonly headers: http.IncomingHttpHeaders[];
  openUploads(): string[];
  /** The tags of an object, by its key; gone with the object and with its next version. */
  tagsOf(key: string): Readonly<Record<string, string>>;
  fail(fault: Fault): void;
  heal(): void;
  close(): Promise<void>;
}

interface OpenUpload {
  readonly key: string;
  readonly initiated: Date;
}

export async function startS3Server(
  bucket = 'millrace-test',
  { isVersioned = false }: { readonly isVersioned?: boolean } = {},
): Promise<S3Server> {
  const backend = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false, init: { buckets: [bucket] } });
  const uploads = new Map<string, OpenUpload>();
  const tags = new Map<string, string>();
  const versions = isVersioned ? new Versions() : undefined;
  const requests: string[] = [];
  const headers: http.IncomingHttpHeaders[] = [];
  let faults: { fault: Fault; left: number }[] = [];

  const front = http.createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  const answer = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const { method = 'GET', url = '/' } = request;
    requests.push(`${method} ${url}`);
    headers.push(request.headers);
    const body = queueBody(request, await bodyOf(request));
    const due = faults.find(({ fault, left }) => left > 0 && fault.method === method && fault.url.test(url));
    if (due !== undefined) {
      due.left -= 1;
      const { act } = due.fault;
      if (act === 'stall') return;
      if (act === 'hang-up') return void request.socket.destroy();
      if (typeof act === 'object' && 'location' in act)
        return void response.writeHead(307, { location: act.location }).end();
      if (typeof act === 'object' && 'xml' in act) return send(response, 200, act.xml);
      if (typeof act === 'object' && 'until' in act) await act.until;
      else if (typeof act === 'object') return send(response, act.status, errorXml(act.code, act.message));
    }
    const { pathname, searchParams } = new URL(url, 'http://s3');
    if (searchParams.has('tagging')) return answerTags(response, tags, method, pathname, body);
    const kept = method === 'GET' ? versions?.read(searchParams.get('versionId')) : undefined;
    if (kept !== undefined) return sendVersion(request, response, kept);
    if (method === 'GET' && searchParams.has('uploads')) return send(response, 200, listXml(bucket, uploads));
    if (
      request.headers['if-none-match'] === '*' &&
      (await forward(backend.port, request, 'HEAD', pathname)).status === 200
    ) {
      return send(response, 412, errorXml('PreconditionFailed'));
    }
    const found = await forward(backend.port, request, method, url, body);
    const isListing = searchParams.get('list-type') === '2';
    const answered = isListing ? listed(found, searchParams.get('encoding-type') === 'url') : found;
    note(uploads, method, pathname, searchParams, answered);
    if (method !== 'GET' && method !== 'HEAD' && answered.status < 300) tags.delete(decodeURIComponent(pathname));
    const version = versions?.note(method, pathname, answered, body);
    if (version !== undefined) answered.headers['x-amz-version-id'] = version;
    if (due?.fault.act === 'hang-up-after') return void request.socket.destroy();
    if (due?.fault.act === 'cut') {
      const half = answered.body.subarray(0, Math.floor(answered.body.byteLength / 2));
      return void response.writeHead(answered.status, answered.headers).write(half, () => request.socket.destroy());
    }
    response.writeHead(answered.status, answered.headers).end(answered.body);
  };
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    bucket,
    requests,
    headers,
    tagsOf: (key) => parseTags(tags.get(`/${bucket}/${key}`) ?? ''),
    openUploads: () => [...uploads.values()].map(({ key }) => key),
    fail: (fault) => faults.push({ fault, left: fault.times }),
    heal: () => {
      faults = [];
    },
    async close() {
      front.closeAllConnections();
      await new Promise((resolve) => front.close(resolve));
      await backend.stop();
    },
  };
}

/** What a bucket that keeps versions has ever held. */
class Versions {
  readonly #kept = new Map<string, Version>();
  readonly #newest = new Map<string, string>();

  note(method: string, pathname: string, answer: Answer, body: Buffer): string | undefined {
    if (answer.status >= 300) return undefined;
    if (method === 'PUT') {
      const id = `v${this.#kept.size + 1}`;
      this.#kept.set(id, { id, body, etag: String(answer.headers.etag ?? '') });
      this.#newest.set(pathname, id);
    }
    return this.#newest.get(pathname);
  }

  read(id: string | null): Version | undefined {
    return id === null ? undefined : this.#kept.get(id);
  }
}

interface Version {
  readonly id: string;
  readonly body: Buffer;
  readonly etag: string;
}

function sendVersion(request: http.IncomingMessage, response: http.ServerResponse, { id, body, etag }: Version): void {
  const start = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const headers = { etag, 'x-amz-version-id': id, 'content-length': body.byteLength - start };
  response.writeHead(start > 0 ? 206 : 200, headers).end(body.subarray(start));
}

function answerTags(
  response: http.ServerResponse,
  tags: Map<string, string>,
  method: string,
  pathname: string,
  body: Buffer,
): void {
  const path = decodeURIComponent(pathname);
  if (method === 'PUT') tags.set(path, body.toString());
  const set = /<TagSet>.*<\/TagSet>/s.exec(tags.get(path) ?? '')?.[0] ?? '<TagSet/>';
  send(response, 200, method === 'PUT' ? '' : `<Tagging>${set}</Tagging>`);
}

function parseTags(xml: string): Record<string, string> {
  const pairs = xml.matchAll(/<Tag><Key>(.*?)<\/Key><Value>(.*?)<\/Value><\/Tag>/gs);
  return Object.fromEntries([...pairs].map(([, key = '', value = '']) => [key, value]));
}

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

function forward(port: number, request: http.IncomingMessage, method: string, path: string, body?: Buffer) {
  return new Promise<Answer>((resolve, reject) => {
    const { 'transfer-encoding': _, ...headers } = request.headers;
    const length = body === undefined ? {} : { 'content-length': String(body.byteLength) };
    if (body === undefined) delete headers['content-length'];
    const onward = http.request(
      { host: '127.0.0.1', port, method, path, headers: { ...headers, ...length } },
      (answer) => {
        bodyOf(answer).then((received) => {
          resolve({ status: answer.statusCode ?? 500, headers: answer.headers, body: received });
        }, reject);
      },
    );
    onward.on('error', reject).end(body);
  });
}

function note(
  uploads: Map<string, OpenUpload>,
  method: string,
  pathname: string,
  query: URLSearchParams,
  answer: Answer,
): void {
  if (answer.status >= 300) return;
  const uploadId = query.get('uploadId');
  if (method === 'POST' && query.has('uploads')) {
    const id = /<UploadId>([^<]+)</.exec(answer.body.toString())?.[1] ?? '';
    uploads.set(id, { key: pathname.split('/').slice(2).join('/'), initiated: new Date() });
  } else if (uploadId !== null && (method === 'DELETE' || method === 'POST')) {
    uploads.delete(uploadId);
  }
}

async function bodyOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** fauxqs knows its queues by a host name that no resolver knows; ours are called by address. */
function queueBody(request: http.IncomingMessage, body: Buffer): Buffer {
  if (!String(request.headers['x-amz-target'] ?? '').startsWith('AmazonSQS')) return body;
  return Buffer.from(body.toString().replaceAll('http://127.0.0.1:', 'http://sqs.us-east-1.127.0.0.1:'));
}

/** S3 lists keys by their bytes; fauxqs by the rules of a language. */
function inByteOrder(body: Buffer): string {
  const text = body.toString('utf8');
  const entries = text.match(/<Contents>.*?<\/Contents>/gs) ?? [];
  const keyOf = (entry: string) => Buffer.from(/<Key>(.*?)<\/Key>/s.exec(entry)?.[1] ?? '');
  const sorted = entries.toSorted((a, b) => Buffer.compare(keyOf(a), keyOf(b)));
  let next = 0;
  return text.replace(/<Contents>.*?<\/Contents>/gs, () => sorted[next++] ?? '');
}

function listed(found: Answer, isEncoded: boolean): Answer {
  const text = inByteOrder(found.body);
  const body = Buffer.from(isEncoded ? percentEncoded(text) : text);
  return { ...found, headers: { ...found.headers, 'content-length': String(body.byteLength) }, body };
}

/** As S3 does when it is asked to: blanks become plus signs, slashes stay. */
function percentEncoded(text: string): string {
  const plain = (xml: string) =>
    xml.replace(/&(?:#x([0-9a-f]+)|#(\d+)|lt|gt|quot|apos|amp);/gi, (sign, hex, number) =>
      hex || number ? String.fromCodePoint(Number.parseInt(hex ?? number, hex ? 16 : 10)) : (named[sign] ?? sign),
    );
  const encoded = (name: string) => encodeURIComponent(plain(name)).replaceAll('%2F', '/').replaceAll('%20', '+');
  return text
    .replace(/<Key>(.*?)<\/Key>/gs, (_, name) => `<Key>${encoded(name)}</Key>`)
    .replace(
      /<CommonPrefixes>\s*<Prefix>(.*?)<\/Prefix>/gs,
      (_, name) => `<CommonPrefixes><Prefix>${encoded(name)}</Prefix>`,
    )
    .replace('</ListBucketResult>', '<EncodingType>url</EncodingType></ListBucketResult>');
}

const named: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
};

function send(response: http.ServerResponse, status: number, xml: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(`<?xml version="1.0" encoding="UTF-8"?>${xml}`);
}

function errorXml(code: string, message = 'as the test asked'): string {
  return `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
}

function listXml(bucket: string, uploads: Map<string, OpenUpload>): string {
  const items = [...uploads].map(
    ([id, { key, initiated }]) =>
      `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated.toISOString()}</Initiated></Upload>`,
  );
  return `<ListMultipartUploadsResult><Bucket>${bucket}</Bucket><IsTruncated>false</IsTruncated>${items.join('')}</ListMultipartUploadsResult>`;
}
