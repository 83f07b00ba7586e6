// Every page, wide and narrow, light and dark: no barrier that axe knows, nothing that overflows, no script error. A picture of each
// is left in screens/ for people to look at. A page is opened once per width and changes its colours in place.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp } from '../acceptance/millrace-process.ts';
import { findBarriers } from './axe.ts';
import { type Look, openBrowser, type Person, shoot, signIn, visit } from './browser.ts';
import { metaRow, metaText } from './dirty-files.ts';
import { addWebhook, handInMeta, handInSteps, type Installation, install, tenantOf } from './installation.ts';

const looks: readonly (Look & { readonly name: string })[] = [
  { name: 'wide', width: 1280 },
  { name: 'phone', width: 390 },
];
const colours = ['light', 'dark'] as const;

let browser: Browser;
let installation: Installation;
let pages: Record<string, string>;

beforeAll(async () => {
  browser = await openBrowser();
  installation = await install({ POLL_INTERVAL_MS: '100', ALLOW_PRIVATE_WEBHOOKS: 'true' });
  const tenant = await tenantOf(installation);
  const [done = '', part = '', failed = ''] = await handInSteps(
    installation,
    tenant,
    { steps: 5 },
    { steps: 3, end: 'part' },
    { steps: 1, end: 'refuse' },
    { steps: 1, end: 'deny' },
  );
  const rows = Array.from({ length: 60 }, (_, index) =>
    metaRow(index, index % 20 === 10 ? { spend: 'about 12.50' } : index === 41 ? { day: 'someday' } : {}),
  );
  const upload = await handInMeta(installation, 'winter.csv', metaText(rows));
  const endpoint = await addWebhook(installation);
  pages = {
    home: '/',
    runs: '/runs',
    'runs-none': '/runs?q=nothing-is-called-this',
    'run-done': `/r/${done}`,
    'run-partial': `/r/${part}`,
    'run-failed': `/r/${failed}`,
    'run-unknown': '/r/0190a7a0-0000-7000-8000-000000000001',
    'rejects-none': `/r/${done}/rejects`,
    upload: `/r/${upload}`,
    rejects: `/r/${upload}/rejects`,
    rows: `/r/${upload}/rows`,
    'rows-inserted': `/r/${upload}/rows?outcome=inserted`,
    reading: `/r/${upload}/reading`,
    mapping: `/r/${upload}/mapping`,
    data: '/data',
    'data-campaign': '/data?campaign=%22120208394857261041%22',
    judgments: '/data/judgments',
    plaintiffs: '/data/plaintiffs',
    queue: '/operate',
    workers: '/operate/workers',
    schedules: '/operate/schedules',
    connectors: '/operate/connectors',
    'dead-letters': '/operate/dead-letters',
    alerts: '/operate/alerts',
    'alerts-resolved': '/operate/alerts?status=resolved',
    webhooks: '/operate/webhooks',
    webhook: `/operate/webhooks/${endpoint}`,
    'webhook-unknown': '/operate/webhooks/0190a7a0-0000-7000-8000-000000000001',
    people: '/operate/people',
    support: '/operate/support',
    clients: '/operate/clients',
    keys: '/operate/keys',
    audit: '/operate/audit',
    health: '/operate/health',
    password: '/settings/password',
    unknown: '/operate/nothing',
  };
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await cleanUp();
  await installation?.database.drop();
}, 60_000);

/** Waits until nothing on the page is loading any more. */
async function settle(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' });
  await page.locator('[role=status][aria-label^=Loading]').first().waitFor({ state: 'detached' });
}

async function judge({ page, faults }: Person, name: string): Promise<string[]> {
  await settle(page);
  const found: string[] = [];
  for (const colour of colours) {
    await page.emulateMedia({ colorScheme: colour });
    await shoot(page, `${name}-${colour}`);
    // What is not a matter of colour is the same in both.
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
  }, 240_000);
});
