// One test run: pure tests (x.test.ts) and database tests (x.db.test.ts) share a worker pool of three, sized for two cores: a third of
// the time a file waits for a lease, a process or a browser. What only computes (the contract, the readers of tables, the console's own
// rules) runs file after file in one process; everything else gets a process for each file. The console's walks need a browser. On a
// machine without one they are left out, and the run says so; CI has one.
import { existsSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

const chromium = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const hasBrowser = existsSync(chromium);
if (!hasBrowser) {
  console.warn(
    `The console's walks are left out: there is no Chromium at ${chromium} (apt-get install chromium, or set CHROMIUM_PATH).`,
  );
}

const computing = ['console/src/**/*.test.ts', 'src/contract/**/!(*.db).test.ts', 'src/tabular/**/!(*.db).test.ts'];

export default defineConfig({
  test: {
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // They end what hangs; no rule is about them.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Many tests kill processes and wait for leases. On a build machine that does other things too, one late answer is no news;
    // a fault shows every time. What needed a second try is named and counted at the end.
    retry: process.env.CI ? 2 : 0,
    reporters: ['default', './test/support/second-tries.ts'],
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
      { extends: true, test: { name: 'computing', include: computing, isolate: false } },
    ],
  },
});
