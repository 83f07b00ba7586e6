// One test run: pure tests (x.test.ts) and database tests (x.db.test.ts) share a worker pool of two, sized for two cores.
// The console's walks need a browser. On a machine without one they are left out, and the run says so; CI always has one.
import { existsSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';

const chromium = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const hasBrowser = existsSync(chromium);
if (!hasBrowser) {
  console.warn(
    `The console's walks are left out: there is no Chromium at ${chromium} (apt-get install chromium, or set CHROMIUM_PATH).`,
  );
}

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'console/src/**/*.test.ts',
      'test/**/*.test.ts',
      'examples/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    exclude: [...configDefaults.exclude, ...(hasBrowser ? [] : ['test/console/**'])],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/listen-for-canaries.ts'],
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Many tests kill processes and wait for leases. On a build machine that does other things too, one late answer is no news;
    // a fault shows every time.
    retry: process.env.CI ? 2 : 0,
  },
});
