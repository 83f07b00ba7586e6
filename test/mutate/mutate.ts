// Plants each break and demands that its tests fail with it, that they pass without it, and that it still fits the source.
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { silentLog } from '../../src/platform/log.ts';
import { makeTempHome, removeTempHome } from '../support/temp-home.ts';
import type { Break } from './break.ts';
import { copyTree, findDrift, type TreeCopy } from './copy.ts';
import { runTests, type TestOutcome } from './run-tests.ts';

/** caught is the only good one. */
export type Verdict = 'caught' | 'survived' | 'drifted' | 'red without it' | 'no test ran' | 'not reached';

export interface BreakResult {
  readonly id: string;
  readonly verdict: Verdict;
  readonly seconds: number;
  /** The first test that failed, or what is wrong with the break. */
  readonly detail: string;
}

export interface MutateOptions {
  readonly breaks: readonly Break[];
  /** A server to use; without one, an embedded one is started. */
  readonly databaseUrl?: string;
  readonly atATime: number;
  /** What is not judged by then counts as not reached. */
  readonly maxMs: number;
  readonly say: (line: string) => void;
}

const ONE_RUN_MS = 240_000;

export async function mutate(options: MutateOptions): Promise<BreakResult[]> {
  const drifted = findDrift(options.breaks).map(({ id, why }) => resultOf(id, 'drifted', 0, why));
  for (const { id, detail } of drifted) options.say(`${id}: drifted: ${detail}`);
  const left = options.breaks.filter(({ id }) => !drifted.some((result) => result.id === id));
  const server = options.databaseUrl === undefined ? await openServer() : undefined;
  const databaseUrl = options.databaseUrl ?? server?.url ?? '';
  const copies = Array.from({ length: Math.min(options.atATime, Math.max(1, left.length)) }, copyTree);
  try {
    return [...drifted, ...(await judgeAll(copies, left, { ...options, databaseUrl }))];
  } finally {
    for (const copy of copies) copy.remove();
    await server?.stop();
  }
}

async function judgeAll(
  copies: readonly TreeCopy[],
  breaks: readonly Break[],
  { databaseUrl, maxMs, say }: MutateOptions & { readonly databaseUrl: string },
): Promise<BreakResult[]> {
  const deadline = performance.now() + maxMs;
  const red = await redWithoutBreak(copies[0] as TreeCopy, breaks, databaseUrl, maxMs);
  const waiting = [...breaks];
  const results: BreakResult[] = [];
  const lane = async (copy: TreeCopy) => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const already = red(next);
      const timeLeftMs = deadline - performance.now();
      const result = already ?? (timeLeftMs > 0 ? await judge(copy, next, databaseUrl, timeLeftMs) : notReached(next));
      results.push(result);
      say(`${result.id}: ${result.verdict} (${result.seconds} s) ${result.detail}`);
    }
  };
  await Promise.all(copies.map(lane));
  return results;
}

async function judge(copy: TreeCopy, planted: Break, databaseUrl: string, timeLeftMs: number): Promise<BreakResult> {
  const startedAt = performance.now();
  const run = await copy.withBreak(planted, () =>
    runTests(copy.folder, {
      files: planted.tests,
      title: planted.title,
      env: planted.env,
      databaseUrl,
      timeoutMs: Math.min(ONE_RUN_MS, timeLeftMs),
      bails: true,
    }),
  );
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const failed = run.outcomes.find(({ isPassed }) => !isPassed);
  if (failed) return resultOf(planted.id, 'caught', seconds, `by "${failed.title}"`);
  if (run.outcomes.length === 0)
    return resultOf(planted.id, 'no test ran', seconds, run.isTimedOut ? 'it took too long' : 'nothing loads with it');
  return resultOf(planted.id, 'survived', seconds, `${run.outcomes.length} tests passed with it`);
}

/** All named tests once, unbroken. A break whose tests fail then, or are not there, proves nothing. */
async function redWithoutBreak(
  copy: TreeCopy,
  breaks: readonly Break[],
  databaseUrl: string,
  timeoutMs: number,
): Promise<(planted: Break) => BreakResult | undefined> {
  const files = [...new Set(breaks.flatMap(({ tests }) => tests))];
  if (files.length === 0) return () => undefined;
  const env = Object.assign({}, ...breaks.map((planted) => planted.env ?? {}));
  const { outcomes } = await runTests(copy.folder, { files, env, databaseUrl, timeoutMs, bails: false });
  return (planted) => {
    const own = outcomes.filter((outcome) => isOf(planted, outcome));
    const failed = own.find(({ isPassed }) => !isPassed);
    if (failed) return resultOf(planted.id, 'red without it', 0, `"${failed.title}" fails anyway`);
    const missing = planted.tests.find((file) => !own.some((outcome) => outcome.file === file));
    return missing === undefined || (planted.title !== undefined && own.length > 0)
      ? undefined
      : resultOf(planted.id, 'no test ran', 0, `no test of ${missing} ran`);
  };
}

function isOf({ tests, title }: Break, outcome: TestOutcome): boolean {
  return tests.includes(outcome.file) && (title === undefined || outcome.title.includes(title));
}

function notReached({ id }: Break): BreakResult {
  return resultOf(id, 'not reached', 0, 'the time was over');
}

function resultOf(id: string, verdict: Verdict, seconds: number, detail: string): BreakResult {
  return { id, verdict, seconds, detail };
}

async function openServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const home = makeTempHome('mutate');
  const settings = { max_connections: '300', fsync: 'off', full_page_writes: 'off' };
  const { adminUrl, stop } = await startEmbeddedPostgres({ home, log: silentLog, settings });
  const url = new URL(adminUrl);
  url.pathname = '/postgres';
  return {
    url: url.href,
    async stop() {
      await stop();
      removeTempHome(home);
    },
  };
}
