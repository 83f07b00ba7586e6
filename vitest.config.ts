// One test run on a worker pool of five, sized for two cores: half of the time a file waits for a lease, a process or a browser. Files share
// processes: a new one for each would load the product and start a browser again, which takes longer than many of them do. What only
// computes (the contract, the readers of tables, the console's own rules) needs no database. The console's tests need a browser. On a
// machine without one vitest skips them and says so; CI has one.
import { existsSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

const chromium = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const hasBrowser = existsSync(chromium);
if (!hasBrowser) {
  console.warn(
    `The console's tests are skipped: there is no Chromium at ${chromium} (apt-get install chromium, or set CHROMIUM_PATH).`,
  );
}

const computing = ['console/src/**/*.test.ts', 'src/contract/**/!(*.db).test.ts', 'src/tabular/**/!(*.db).test.ts'];

export default defineConfig({
  test: {
    maxWorkers: 5,
    // A test leaves its process as it found it: environment, signals, console.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // They end what hangs; no rule is about them, and no test has a shorter one of its own. The longest takes two minutes on two idle cores.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    // Many tests kill processes and wait for leases. On a build machine that does other things too, one late answer is no news;
    // a fault shows every time. What needed a second try is named and counted at the end.
    retry: process.env.CI ? 2 : 0,
    reporters: ['default', './test/support/second-tries.ts', './test/support/timings.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'product',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...computing, ...(hasBrowser ? [] : ['test/console/**'])],
          globalSetup: ['test/support/global-setup.ts'],
          setupFiles: ['test/support/listen-for-canaries.ts'],
        },
      },
      { extends: true, test: { name: 'computing', include: computing } },
    ],
  },
});
