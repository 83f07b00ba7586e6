// Runs test files in a tree and says how many tests passed and failed. A file that does not even load has no tests: that is no
// failure of a test, and nobody has noticed anything.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

export interface TestOutcome {
  readonly file: string;
  readonly title: string;
  readonly isPassed: boolean;
}

export interface TestRun {
  readonly outcomes: readonly TestOutcome[];
  readonly isTimedOut: boolean;
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

export interface TestOrders {
  readonly files: readonly string[];
  readonly title?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** A superuser's connection string: the server is shared by all runs. */
  readonly databaseUrl: string;
  readonly timeoutMs: number;
  /** Stops at the first failure. */
  readonly bails: boolean;
}

/** What works is there within seconds; what a fault keeps from happening is not waited for until the run is over. */
const WAIT_MS = 45_000;

export async function runTests(folder: string, orders: TestOrders): Promise<TestRun> {
  const report = path.join(folder, 'mutate-report.json');
  rmSync(report, { force: true });
  const args = [
    path.join(folder, 'node_modules/vitest/vitest.mjs'),
    ...['run', '--root', folder, '--reporter=json', `--outputFile=${report}`, '--retry=0'],
    ...(orders.bails ? ['--bail=1'] : []),
    ...(orders.title === undefined ? [] : ['--testNamePattern', escapePattern(orders.title)]),
    ...orders.files,
  ];
  const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env;
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: 'ignore',
    detached: true,
    env: {
      ...env,
      ...orders.env,
      CI: '',
      MILLRACE_TEST_DATABASE_URL: orders.databaseUrl,
      MILLRACE_TEST_WAIT_MS: String(WAIT_MS),
    },
  });
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    // The whole group: the runner has processes of its own.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, orders.timeoutMs);
  await new Promise<void>((resolve) => child.once('exit', () => resolve()));
  clearTimeout(timer);
  return { outcomes: isTimedOut ? [] : readOutcomes(report, folder), isTimedOut };
}

function readOutcomes(report: string, folder: string): TestOutcome[] {
  let parsed: Report;
  try {
    parsed = JSON.parse(readFileSync(report, 'utf8')) as Report;
  } catch {
    return [];
  }
  return parsed.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ fullName, status }) => ({
        file: path.relative(folder, name),
        title: fullName,
        isPassed: status === 'passed',
      })),
  );
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
