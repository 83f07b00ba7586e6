// A 50 MB upload through the intake beside a bare Node server that only hashes and writes, on loopback, alternating.
// Figures `upload-rate` (ratio of rates, higher is better) and `upload-rss` (growth of the server's memory over its idle state).
import { type ChildProcess, fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const fileBytes = 50 * 1000 * 1000;
const chunkBytes = 256 * 1024;
const boundary = '----millrace-bench-boundary';

export interface UploadFigure {
  readonly id: 'upload-rate' | 'upload-rss';
  readonly value: number;
  readonly unit: string;
  readonly peers: Readonly<Record<string, number>>;
  readonly ratios: Readonly<Record<string, number>>;
}

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
  readonly folder: string;
}

export async function benchUpload({ rounds = 7 }: { readonly rounds?: number } = {}): Promise<UploadFigure[]> {
  const bytes = csvBytes(fileBytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const servers = { bare: await start('bare'), millrace: await start('millrace') };
  try {
    const bare = { path: '/', parts: slices(bytes), type: 'text/csv' };
    const form = { path: '/', parts: multipart(bytes), type: `multipart/form-data; boundary=${boundary}` };
    for (let warm = 0; warm < 2; warm += 1) {
      await send(servers.bare, bare, sha256);
      await send(servers.millrace, form, sha256);
    }
    const ms: { bare: number[]; millrace: number[] } = { bare: [], millrace: [] };
    for (let round = 0; round < rounds; round += 1) {
      const order = round % 2 === 0 ? (['bare', 'millrace'] as const) : (['millrace', 'bare'] as const);
      for (const name of order) ms[name].push(await send(servers[name], name === 'bare' ? bare : form, sha256));
    }
    const rate = { bare: fileBytes / 1e3 / median(ms.bare), millrace: fileBytes / 1e3 / median(ms.millrace) };
    return [
      {
        id: 'upload-rate',
        value: round2(rate.millrace),
        unit: 'MB/s',
        peers: { 'bare-node': round2(rate.bare) },
        ratios: { 'bare-node': round2(rate.millrace / rate.bare) },
      },
      await memoryFigure(form, sha256),
    ];
  } finally {
    await stop(servers.bare);
    await stop(servers.millrace);
  }
}

/** In a fresh server, so that nothing earlier rounds have left hides the growth. */
async function memoryFigure(form: Body, sha256: string): Promise<UploadFigure> {
  const growth: number[] = [];
  for (const kind of ['bare', 'millrace'] as const) {
    const server = await start(kind);
    const small = Buffer.from('a,b\n1,2\n');
    const hash = createHash('sha256').update(small).digest('hex');
    const tiny = { ...form, parts: kind === 'bare' ? [small] : multipart(small) };
    for (let warm = 0; warm < 20; warm += 1) await send(server, tiny, hash);
    const before = (await memory(server)).now;
    const large = kind === 'bare' ? { ...form, parts: form.parts.slice(1, -1) } : form;
    for (let round = 0; round < 3; round += 1) await send(server, large, sha256);
    growth.push(((await memory(server)).peak - before) / 1024 / 1024);
    await stop(server);
  }
  const [bare = 0, ours = 0] = growth;
  return { id: 'upload-rss', value: round2(ours), unit: 'MiB', peers: { 'bare-node': round2(bare) }, ratios: {} };
}

interface Body {
  readonly path: string;
  readonly type: string;
  readonly parts: readonly Buffer[];
}

async function start(kind: 'bare' | 'millrace'): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), `millrace-bench-${kind}-`));
  const script = fileURLToPath(new URL('./upload-server.ts', import.meta.url));
  const child = fork(script, [kind, folder], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.once('data', (text: Buffer) => resolve(Number(text.toString())));
    child.once('exit', (code) => reject(new Error(`the ${kind} server ended with ${code}`)));
  });
  return { child, port, folder };
}

async function stop({ child, folder }: Server): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.disconnect();
  await ended;
  await rm(folder, { recursive: true, force: true });
}

function send({ port }: Server, { path, type, parts }: Body, sha256: string): Promise<number> {
  const length = parts.reduce((sum, part) => sum + part.byteLength, 0);
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const request = http.request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        agent: false,
        headers: { 'content-type': type, 'content-length': length },
      },
      (response) => {
        let answer = '';
        response.on('data', (text) => {
          answer += text;
        });
        response.on('end', () => {
          const ms = performance.now() - startedAt;
          if (answer.includes(sha256)) resolve(ms);
          else reject(new Error(`unexpected answer ${response.statusCode}: ${answer}`));
        });
      },
    );
    request.on('error', reject);
    void (async () => {
      for (const part of parts) {
        if (!request.write(part)) await new Promise((drained) => request.once('drain', drained));
      }
      request.end();
    })();
  });
}

function memory({ port }: Server): Promise<{ peak: number; now: number }> {
  return fetch(`http://127.0.0.1:${port}/memory`).then(
    (answer) => answer.json() as Promise<{ peak: number; now: number }>,
  );
}

function multipart(bytes: Buffer): Buffer[] {
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="bench.csv"\r\ncontent-type: text/csv\r\n\r\n`;
  return [Buffer.from(head), ...slices(bytes), Buffer.from(`\r\n--${boundary}--\r\n`)];
}

function slices(bytes: Buffer): Buffer[] {
  const count = Math.ceil(bytes.byteLength / chunkBytes);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes));
}

/** Lines that end in CRLF, as exports do: every line end looks like the beginning of a boundary. */
function csvBytes(size: number): Buffer {
  const lines =
    randomBytes(48 * 1024)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  const block = Buffer.from(`${lines.map((line) => `${line.slice(0, 20)},${line.slice(20)}`).join('\r\n')}\r\n`);
  return Buffer.alloc(size, block);
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function round2(value: number): number {
  return Math.round(value * 100) / 100;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const figure of await benchUpload()) process.stdout.write(`${JSON.stringify(figure)}\n`);
}
