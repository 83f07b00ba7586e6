// Every page, wide and narrow, light and dark: no barrier that axe knows, nothing that overflows, no script error. With
// SCREENS=1 a picture of each is left in screens/ for people to look at. A page is opened once per width and changes its colours in place.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp } from '../acceptance/millrace-process.ts';
import { type FakeAirbyte, startFakeAirbyte } from '../support/fake-airbyte/server.ts';
import { findBarriers } from './axe.ts';
import { type Look, openBrowser, type Person, shoot, signIn, visit, wantsPictures } from './browser.ts';
import { fillPages } from './fill-pages.ts';
import { type Installation, install } from './installation.ts';

const looks: readonly (Look & { readonly name: string })[] = [
  { name: 'wide', width: 1280 },
  { name: 'phone', width: 390 },
];
const colours = ['light', 'dark'] as const;

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
  await browser?.close();
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

async function judge({ page, faults }: Person, name: string): Promise<string[]> {
  await settle(page);
  const isWide = name.endsWith('-wide');
  const found: string[] = [];
  for (const colour of colours) {
    // What is not a matter of colour is the same in both, and colours are the same on every width.
    const isNew = colour === 'light' || isWide;
    if (!isNew && !wantsPictures) continue;
    await page.emulateMedia({ colorScheme: colour });
    await shoot(page, `${name}-${colour}`);
    if (!isNew) continue;
    const barriers = await findBarriers(page, colour === 'dark' ? ['color-contrast'] : undefined);
    found.push(...barriers.map((barrier) => `${name}, ${colour}: ${barrier}`));
  }
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  if (Number(overflow) > 0) found.push(`${name}: the page is ${overflow} px wider than the screen`);
  return [...found, ...faults.splice(0).map((fault) => `${name}: ${fault}`)];
}

describe.each(looks)('every page, $name', ({ name, ...look }) => {
  it('has no barrier, no overflow and no script error', async () => {
    const person = await visit(browser, installation.url, { ...look, withoutPolicy: true });
    await person.page.goto('/login');
    const found = await judge(person, `login-${name}`);
    await signIn(person, installation.admin.email, installation.admin.password);
    for (const [place, address] of Object.entries(pages)) {
      await person.page.goto(address);
      found.push(...(await judge(person, `${place}-${name}`)));
    }
    expect(found).toEqual([]);
    await person.context.close();
  });
});
