// How long each test file takes, its imports and hooks included. MILLRACE_TEST_TIMINGS=1 notes it in timings.json for the files that were
// run; longest-first.ts goes by it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule } from 'vitest/node';

const file = fileURLToPath(new URL('timings.json', import.meta.url));

/** Seconds by the path of the test file. */
export function readTimings(): Record<string, number> {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>) : {};
}

export default class Timings implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (process.env.MILLRACE_TEST_TIMINGS !== '1') return;
    const known = Object.entries(readTimings()).filter(([name]) => existsSync(name));
    const seen = modules.map((module) => [module.relativeModuleId, secondsOf(module)] as const);
    const all = Object.fromEntries([...known, ...seen].toSorted(([one], [other]) => (one < other ? -1 : 1)));
    writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
  }
}

function secondsOf(module: TestModule): number {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return Math.round((collectDuration + setupDuration + duration) / 100) / 10;
}
