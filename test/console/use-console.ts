// What every walk stands on: a browser and an installation, opened before the tests of a file and cleared away after them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { cleanUp, type Environment } from '../acceptance/millrace-process.ts';
import { type Look, leaveBrowser, openBrowser, type Person, signIn, visit } from './browser.ts';
import { type Installation, install } from './installation.ts';

export interface Stage {
  readonly installation: Installation;
  /** For files to drop. */
  readonly folder: string;
  /** Someone at a browser, not signed in yet. */
  visit(look?: Look): Promise<Person>;
  /** The admin of the first start, signed in. */
  enter(look?: Look): Promise<Person>;
}

export function useConsole(extra: Environment = { POLL_INTERVAL_MS: '100' }, command?: 'start' | 'api'): Stage {
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-console-'));
  let browser: Browser;
  let installation: Installation;
  beforeAll(async () => {
    browser = await openBrowser();
    installation = await install(extra, command);
  });
  afterAll(async () => {
    await leaveBrowser();
    await cleanUp();
    await installation?.database.drop();
    rmSync(folder, { recursive: true, force: true });
  });
  const come = (look?: Look) => visit(browser, installation.url, look);
  return {
    folder,
    get installation() {
      return installation;
    },
    visit: come,
    async enter(look) {
      const person = await come(look);
      await signIn(person, installation.admin.email, installation.admin.password);
      return person;
    },
  };
}
