// Every page, wide and narrow, light and dark: no barrier that axe knows, nothing that overflows, no script error. With
// SCREENS=1 a picture of each is left in screens/ for people to look at. A page is opened once and changes its colours and its width in place.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanUp } from '../acceptance/millrace-process.ts';
import { type FakeAirbyte, startFakeAirbyte } from '../support/fake-airbyte/server.ts';
import { findBarriers } from './axe.ts';
import { leaveBrowser, openBrowser, type Person, shoot, signIn, visit, wantsPictures } from './browser.ts';
import { fillPages } from './fill-pages.ts';
import { type Installation, install } from './installation.ts';

const wide = { width: 1280, height: 860 };
const phone = { width: 390, height: 844 };

let browser: Browser;
let airbyte: FakeAirbyte;
let installation: Installation;
let pages: Record<string, string>;
const folders = mkdtempSync(path.join(tmpdir(), 'millrace-pages-'));

beforeAll(async () => {
  browser = await openBrowser();
  airbyte = await startFakeAirbyte({ runMs: 300, rows: 12_345 });
  installation = await install({
    POLL_INTERVAL_MS: '100',
    ALLOW_PRIVATE_WEBHOOKS: 'true',
    AIRBYTE_BASE_URL: airbyte.url,
    AIRBYTE_API_TOKEN: airbyte.token,
    AIRBYTE_WORKSPACE_ID: airbyte.workspaceId,
    SOURCE_FOLDER_ROOTS: folders,
  });
  pages = await fillPages(installation, airbyte);
});
afterAll(async () => {
  await leaveBrowser();
  await cleanUp();
  await airbyte?.close();
  await installation?.database.drop();
  rmSync(folders, { recursive: true, force: true });
});

/** Waits until nothing on the page is loading any more. */
async function settle(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' });
  await page.locator('[role=status][aria-label^=Loading]').first().waitFor({ state: 'detached' });
}

/** All rules in light colours, then contrast in dark ones, which are the same on every width; narrow again all that is no matter of colour. */
async function judge({ page, faults }: Person, name: string): Promise<string[]> {
  const found: string[] = [];
  const look = async (width: 'wide' | 'phone', colour: 'light' | 'dark', only?: readonly string[]) => {
    await page.emulateMedia({ colorScheme: colour });
    await shoot(page, `${name}-${width}-${colour}`);
    if (colour === 'dark' && width === 'phone') return;
    const barriers = await findBarriers(page, only);
    found.push(...barriers.map((barrier) => `${name}, ${width}, ${colour}: ${barrier}`));
  };
  const measure = async (width: string) => {
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    if (Number(overflow) > 0) found.push(`${name}, ${width}: the page is ${overflow} px wider than the screen`);
  };
  await settle(page);
  await look('wide', 'light');
  await measure('wide');
  await look('wide', 'dark', ['color-contrast']);
  await page.setViewportSize(phone);
  await settle(page);
  await look('phone', 'light');
  await measure('phone');
  if (wantsPictures) await look('phone', 'dark');
  await page.setViewportSize(wide);
  await page.emulateMedia({ colorScheme: 'light' });
  return [...found, ...faults.splice(0).map((fault) => `${name}: ${fault}`)];
}

it('no page has a barrier, an overflow or a script error, wide and narrow, light and dark', async () => {
  const person = await visit(browser, installation.url, { width: wide.width, withoutPolicy: true });
  await person.page.goto('/login');
  const found = await judge(person, 'login');
  await signIn(person, installation.admin.email, installation.admin.password);
  for (const [place, address] of Object.entries(pages)) {
    await person.page.goto(address);
    found.push(...(await judge(person, place)));
  }
  expect(found).toEqual([]);
});
