// Q9: thousands of damaged files of every format, each through the reader in a process of its own and through the HTTP intake of the
// real server, whose worker then reads what was taken. Nobody may die, take longer than 30 s, answer 5xx, or fail for a reason that
// is not in the catalogue. Needs the built program.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTempHome, removeTempHome } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Counts } from './auditor.ts';
import { type Format, formatOf, formats, type Mutant, mutantOf } from './mutants.ts';
import { noCounts } from './suites/suite.ts';

export interface MutationsOptions {
  readonly seed: number;
  readonly steps: number;
  /** Only mutants of these formats, of the same numbers. */
  readonly only?: readonly string[] | undefined;
  readonly say: (line: string) => void;
}

export interface MutationsResult {
  readonly dose: { readonly mutations: number; readonly reader: number; readonly http: number };
  /** lost: process deaths · stuck: over 30 s, or not at an end · wrong: HTTP 5xx, or an error that is not catalogued. */
  readonly counts: Counts;
  readonly details: {
    readonly findings: readonly string[];
    readonly readings: Readonly<Record<string, number>>;
    readonly answers: Readonly<Record<string, number>>;
    readonly ends: Readonly<Record<string, number>>;
  };
}

const LIMIT_MS = 30_000;
const READERS = 2;
const SENDERS = 4;
/** Sending is quicker than importing: what is left when the last file is in gets this and a little for each. */
const DRAIN_MS = 240_000;
const DRAIN_MS_EACH = 100;
const MAX_LOG = 1_000_000;
const root = fileURLToPath(new URL('../..', import.meta.url));
const extensions: Readonly<Record<Format, string>> = {
  csv: 'csv',
  tsv: 'tsv',
  json: 'json',
  ndjson: 'ndjson',
  xlsx: 'xlsx',
};

export async function runMutations({ seed, steps, only = formats, say }: MutationsOptions): Promise<MutationsResult> {
  const book = new Book(seed);
  const numbers = Array.from({ length: steps }, (_, number) => number).filter((number) =>
    only.includes(formatOf(number)),
  );
  await eachMutant(seed, numbers, READERS, () => startReader(book));
  say(`${numbers.length} mutants read: ${inWords(book.readings)}`);
  const server = await startServer(book);
  try {
    const runs = new Map<string, Mutant>();
    await eachMutant(seed, numbers, SENDERS, async () => ({
      take: (mutant) => send(server, mutant, book, runs),
      async end() {},
    }));
    say(`${numbers.length} mutants sent: ${inWords(book.answers)}`);
    await auditRuns(server, runs, book);
    say(`${runs.size} taken: ${inWords(book.ends)}`);
  } finally {
    await server.end();
  }
  for (const finding of book.findings) say(finding);
  return {
    dose: { mutations: numbers.length, reader: numbers.length, http: numbers.length },
    counts: { ...noCounts, ...book.counts },
    details: {
      findings: book.findings,
      readings: Object.fromEntries(book.readings),
      answers: Object.fromEntries(book.answers),
      ends: Object.fromEntries(book.ends),
    },
  };
}

/** What was seen. A finding names the seed and the mutant, so that it can be made again. */
class Book {
  readonly counts = { lost: 0, stuck: 0, wrong: 0 };
  readonly findings: string[] = [];
  readonly readings = new Map<string, number>();
  readonly answers = new Map<string, number>();
  readonly ends = new Map<string, number>();
  /** Runs that waited for an answer: how long is no fault of theirs. */
  readonly asked = new Set<string>();
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  count(into: Map<string, number>, what: string): void {
    into.set(what, (into.get(what) ?? 0) + 1);
  }

  blame(count: keyof Book['counts'], what: string, mutant?: Mutant): void {
    this.counts[count]++;
    const which =
      mutant === undefined
        ? ''
        : ` (seed ${this.#seed}, mutant ${mutant.number}: ${mutant.format} for ${mutant.intake})`;
    this.findings.push(`${what}${which}`);
  }
}

interface Taker {
  take(mutant: Mutant): Promise<void>;
  end(): Promise<void>;
}

async function eachMutant(
  seed: number,
  numbers: readonly number[],
  takers: number,
  start: () => Promise<Taker>,
): Promise<void> {
  const left = numbers.values();
  const work = async () => {
    const taker = await start();
    for (const number of left) await taker.take(mutantOf(seed, number));
    await taker.end();
  };
  await Promise.all(Array.from({ length: takers }, work));
}

// ── The reader ───────────────────────────────────────────────────────────────────────────────────────────────────────
async function startReader(book: Book): Promise<Taker> {
  let child = await forkReader();
  return {
    async take(mutant) {
      const outcome = await ask(child, mutant);
      if (outcome === 'late') book.blame('stuck', 'the reader took longer than 30 s', mutant);
      else if (outcome === 'dead') book.blame('lost', 'the reader died', mutant);
      else if (outcome.startsWith('!')) book.blame('wrong', `the reader failed: ${outcome.slice(2)}`, mutant);
      book.count(book.readings, outcome.startsWith('!') ? 'uncatalogued' : outcome);
      if (outcome !== 'late' && outcome !== 'dead') return;
      child.kill('SIGKILL');
      child = await forkReader();
    },
    async end() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

async function forkReader(): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('./mutant-reader.ts', import.meta.url));
  const child = fork(program, [], {
    execArgv: ['--import', 'tsx'],
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}

function ask(child: ChildProcess, mutant: Mutant): Promise<string> {
  return new Promise((resolve) => {
    const done = (outcome: string) => {
      clearTimeout(timer);
      child.off('exit', died);
      child.off('message', heard);
      resolve(outcome);
    };
    const died = () => done('dead');
    const heard = ({ id, outcome }: { id: number; outcome: string }) => {
      if (id === mutant.number) done(outcome);
    };
    const timer = setTimeout(() => done('late'), LIMIT_MS);
    child.on('exit', died);
    child.on('message', heard);
    child.send({ id: mutant.number, base64: mutant.bytes.toString('base64') });
  });
}

// ── The server ───────────────────────────────────────────────────────────────────────────────────────────────────────
interface Server {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  isAlive(): boolean;
  /** What it logged about a run as an error. */
  logOf(runId: string): string;
  end(): Promise<void>;
}

/** An installation of its own, with the embedded Postgres, gone when it has ended. */
async function startServer(book: Book): Promise<Server> {
  const home = makeTempHome('mutations');
  const child = spawn(process.execPath, [path.join(root, 'dist/main/main.js'), 'start', '--port', '0'], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      MILLRACE_HOME: home,
      LOG_LEVEL: 'error',
      SHUTDOWN_GRACE_SECONDS: '5',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let isEnding = false;
  const ended = once(child, 'close');
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-MAX_LOG);
  });
  child.once('exit', (code, signal) => {
    if (!isEnding) book.blame('lost', `the server died (${code ?? signal}): ${errors.slice(-4_000)}`);
  });
  const [, url = '', email = '', password = ''] = await waitFor(
    () => /^open\s+(\S+)$[\s\S]*^sign in +(\S+) with the password (\S+)/m.exec(said),
    { timeoutMs: 60_000, everyMs: 100, what: 'the server to start' },
  );
  const login = await fetch(`${url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const { token } = (await login.json()) as { token: string };
  return {
    url,
    headers: { authorization: `Bearer ${token}` },
    logOf: (runId) => errors.split('\n').find((line) => line.includes(runId)) ?? '',
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async end() {
      isEnding = true;
      child.kill('SIGTERM');
      await ended;
      removeTempHome(home);
    },
  };
}

async function send(server: Server, mutant: Mutant, book: Book, runs: Map<string, Mutant>): Promise<void> {
  if (!server.isAlive()) throw new Error(`the server is gone: ${book.findings.at(-1)}`);
  const form = new FormData();
  const isBatch = mutant.intake === 'judgments';
  if (isBatch) form.set('source_batch_id', `mutant-${mutant.number}`);
  else form.set('platform', 'meta');
  form.set('file', new Blob([Buffer.from(mutant.bytes)]), `mutant.${extensions[mutant.format]}`);
  const startedAt = performance.now();
  const answer = await fetch(`${server.url}${isBatch ? '/v1/batches' : '/v1/uploads'}`, {
    method: 'POST',
    headers: server.headers,
    body: form,
    signal: AbortSignal.timeout(2 * LIMIT_MS),
  }).catch((error: unknown) => error as Error);
  if (answer instanceof Error) {
    book.blame('wrong', `no answer: ${answer.message}`, mutant);
    return;
  }
  const text = await answer.text();
  if (performance.now() - startedAt > LIMIT_MS) book.blame('stuck', 'the intake took longer than 30 s', mutant);
  if (answer.status >= 500) book.blame('wrong', `HTTP ${answer.status}: ${text}`, mutant);
  const body = JSON.parse(text) as { upload_id?: string; run_id?: string; code?: string };
  book.count(book.answers, `${answer.status}${body.code === undefined ? '' : ` ${body.code}`}`);
  const run = body.upload_id ?? body.run_id;
  if (run !== undefined) runs.set(run, mutant);
}

interface Run {
  readonly run_id: string;
  readonly phase: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly error: { readonly code: string } | null;
}

/** Damage may raise a doubt; whoever is asked stores the file as it was read. */
async function answerQuestion({ url, headers }: Server, runId: string, book: Book): Promise<void> {
  const { question } = (await (await fetch(`${url}/v1/runs/${runId}`, { headers })).json()) as {
    question: { readonly question_id: string } | null;
  };
  if (question === null) return;
  book.asked.add(runId);
  const { status } = await fetch(`${url}/v1/questions/${question.question_id}/answer`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ choice: 'as_decided' }),
  });
  book.count(book.ends, `asked and answered ${status}`);
}

/** Every run has ended, within its time, well or with a code of the catalogue. */
async function auditRuns(server: Server, runs: ReadonlyMap<string, Mutant>, book: Book): Promise<void> {
  const list = async (query: string) => {
    const answer = await fetch(`${server.url}/v1/runs?${query}`, { headers: server.headers });
    return (await answer.json()) as { data: Run[]; next: string | null };
  };
  const haveEnded = async () => {
    for (const { run_id: id } of (await list('phase=waiting&limit=100')).data) await answerQuestion(server, id, book);
    return (await list('phase=waiting,active&limit=1')).data.length === 0;
  };
  await waitFor(async () => !server.isAlive() || haveEnded(), {
    timeoutMs: DRAIN_MS + runs.size * DRAIN_MS_EACH,
    everyMs: 250,
    what: 'the runs to end',
  }).catch(() => undefined);
  if (!server.isAlive()) return;
  const left = new Map(runs);
  for (let after: string | null = ''; after !== null; ) {
    const page: { data: Run[]; next: string | null } = await list(
      `limit=100${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`,
    );
    for (const run of page.data) {
      const mutant = left.get(run.run_id);
      if (mutant === undefined) continue;
      left.delete(run.run_id);
      judge(server, run, mutant, book);
    }
    after = page.next;
  }
  for (const mutant of left.values()) book.blame('lost', 'its run is not in the ledger', mutant);
}

function judge(server: Server, run: Run, mutant: Mutant, book: Book): void {
  book.count(book.ends, run.phase === 'failed' ? (run.error?.code ?? 'failed') : run.phase);
  const ms = Date.parse(run.finished_at ?? '') - Date.parse(run.started_at ?? run.finished_at ?? '');
  if (run.phase !== 'done' && run.phase !== 'failed') book.blame('stuck', `its run is ${run.phase}`, mutant);
  else if (ms > LIMIT_MS && !book.asked.has(run.run_id)) book.blame('stuck', `its run took ${ms} ms`, mutant);
  if (run.error !== null && uncatalogued.has(run.error.code))
    book.blame('wrong', `its run failed with ${run.error.code}: ${server.logOf(run.run_id)}`, mutant);
}

/** Codes that say that nobody foresaw it, or that a process was lost over it. */
const uncatalogued: ReadonlySet<string> = new Set([
  'internal',
  'stage_failed',
  'worker_lost',
  'stage_stalled',
  'receipt_unbalanced',
]);

function inWords(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
}
