// Hostile and unlucky senders against the upload intake, while honest ones go on: many clients at 1 KB/s, aborts at random offsets,
// wrong lengths, forms of 10,000 parts. Counts what must be zero and measures memory and the honest senders' waiting time.
//
//   npx tsx test/chaos/uploads.ts --seed 7 --slow 200 --aborts 500 --seconds 120
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { field, filePart, form, openRequest, type RawAnswer, sendRaw } from '../support/multipart.ts';
import { compiledProgram } from '../support/programs.ts';
import { waitFor } from '../support/wait-for.ts';

export interface UploadDose {
  readonly seed: number;
  /** Clients that send 1 KB a second for the whole time. */
  readonly slow: number;
  readonly aborts: number;
  readonly seconds: number;
}

export interface UploadChaos {
  readonly seed: number;
  readonly dose: UploadDose;
  readonly counts: {
    lost: number;
    duplicated: number;
    wrong: number;
    stuck: number;
    orphans: number;
    zombieWrites: number;
  };
  readonly seconds: number;
  readonly rssGrowthMb: number;
  /** Honest senders' waiting time, before and during, in ms. */
  readonly calmP95: number;
  readonly stormP95: number;
}

interface Honest {
  readonly sha256: string;
  readonly answer: RawAnswer;
  readonly ms: number;
}

const answerWithinMs = 30_000;

export async function runUploadChaos(dose: UploadDose): Promise<UploadChaos> {
  const startedAt = performance.now();
  const random = seeded(dose.seed);
  const folder = await mkdtemp(join(tmpdir(), 'millrace-chaos-uploads-'));
  const server = await startServer(folder);
  try {
    const calm: Honest[] = [];
    for (let index = 0; index < 200; index += 1) calm.push(await honest(server.port, random));
    const before = await memory(server.port);
    const storm = new AbortController();
    const slow = Array.from({ length: dose.slow }, () => drip(server.port, random, storm.signal));
    const attacks = attack(server.port, dose, random);
    const acknowledged: Honest[] = [...calm];
    const during: Honest[] = [];
    const end = performance.now() + dose.seconds * 1_000;
    let attacking = true;
    void attacks.finally(() => {
      attacking = false;
    });
    while (performance.now() < end || attacking) {
      during.push(await honest(server.port, random));
      await pause(5);
    }
    const stuck = await attacks;
    storm.abort();
    await Promise.all(slow);
    acknowledged.push(...during);
    await waitFor(async () => (await readdir(join(folder, '.incoming'))).length === 0, {
      timeoutMs: 60_000,
      what: 'no leftovers',
    });
    const after = await memory(server.port);
    return {
      seed: dose.seed,
      dose,
      counts: { duplicated: 0, zombieWrites: 0, stuck, ...(await audit(folder, acknowledged)) },
      seconds: Math.round((performance.now() - startedAt) / 100) / 10,
      rssGrowthMb: Math.round((after.peak - before.now) / 1024 / 1024),
      calmP95: percentile(
        calm.map(({ ms }) => ms),
        0.95,
      ),
      stormP95: percentile(
        during.map(({ ms }) => ms),
        0.95,
      ),
    };
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** One small, correct upload. */
async function honest(port: number, random: () => number): Promise<Honest> {
  const content = `a,b\n${random()},${random()}\n`;
  const startedAt = performance.now();
  const answer = await sendRaw(port, form(field('platform', 'meta'), filePart('x.csv', content)));
  return { sha256: createHash('sha256').update(content).digest('hex'), answer, ms: performance.now() - startedAt };
}

async function drip(port: number, random: () => number, until: AbortSignal): Promise<void> {
  await pause(random() * 1_000);
  const { socket } = await openRequest(port, { 'content-length': 40_000_000 });
  socket.on('error', () => undefined);
  socket.write(filePart('slow.csv', '').subarray(0, -2));
  while (!until.aborted && !socket.destroyed) {
    socket.write(Buffer.alloc(1_024, 'a'));
    await pause(1_000);
  }
  socket.destroy();
}

/** Aborts, lies and floods, ten at a time. Returns how many of those owed an answer got none. */
async function attack(port: number, dose: UploadDose, random: () => number): Promise<number> {
  const body = form(field('a', 'b'), filePart('x.csv', Buffer.alloc(1_000_000, 'a')));
  const manyParts = form(...Array.from({ length: 10_000 }, (_, index) => field(`f${index}`, 'x')));
  let stuck = 0;
  let left = dose.aborts;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const kind = random();
      if (kind < 0.8) await abort(port, body, Math.floor(random() * (body.byteLength - 1)));
      else {
        const wrong = kind < 0.9 ? body.subarray(0, -50) : manyParts;
        const { socket, answer } = await openRequest(port, { 'content-length': wrong.byteLength });
        socket.on('error', () => undefined);
        socket.write(wrong);
        const status = await Promise.race([
          answer.then(
            (received) => received.status,
            () => 0,
          ),
          pause(answerWithinMs, 0),
        ]);
        if (status < 400) stuck += 1;
        socket.destroy();
      }
    }
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  return stuck;
}

async function abort(port: number, body: Buffer, at: number): Promise<void> {
  const { socket } = await openRequest(port, { 'content-length': body.byteLength });
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.write(body.subarray(0, at), () => resolve()));
  socket.destroy();
}

/** Every acknowledged upload is stored with exactly its bytes, and nothing else is. */
async function audit(folder: string, acknowledged: readonly Honest[]) {
  const stored = new Map<string, string>();
  for (const tenant of await readdir(folder)) {
    if (tenant === '.incoming') continue;
    for (const name of await readdir(join(folder, tenant))) {
      stored.set(
        name,
        createHash('sha256')
          .update(await readFile(join(folder, tenant, name)))
          .digest('hex'),
      );
    }
  }
  let lost = 0;
  let wrong = 0;
  for (const { sha256, answer } of acknowledged) {
    const found = stored.get(`${String(answer.body.blobId)}.csv`);
    if (answer.status !== 202 || found === undefined) lost += 1;
    else if (found !== sha256 || answer.body.sha256 !== sha256) wrong += 1;
  }
  return { lost, wrong, orphans: stored.size - acknowledged.length + lost };
}

async function startServer(folder: string) {
  const child: ChildProcess = fork(compiledProgram('test/bench/upload-server.ts'), ['millrace', folder], {
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.once('data', (text: Buffer) => resolve(Number(text.toString())));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return {
    port,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.disconnect();
      await ended;
    },
  };
}

async function memory(port: number): Promise<{ peak: number; now: number }> {
  const answer = await fetch(`http://127.0.0.1:${port}/memory`, { headers: { connection: 'close' } });
  return answer.json() as Promise<{ peak: number; now: number }>;
}

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10;
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      slow: { type: 'string', default: '200' },
      aborts: { type: 'string', default: '500' },
      seconds: { type: 'string', default: '120' },
    },
  });
  const result = await runUploadChaos({
    seed: Number(values.seed),
    slow: Number(values.slow),
    aborts: Number(values.aborts),
    seconds: Number(values.seconds),
  });
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  process.exitCode = Object.values(result.counts).some((count) => count !== 0) ? 1 : 0;
}
