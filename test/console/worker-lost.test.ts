// A worker dies while someone looks on: the page says what is known, what will be done, and follows the run to its end.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp } from '../acceptance/millrace-process.ts';
import { openBrowser, shoot, signIn, visit } from './browser.ts';
import { handInSteps, type Installation, install, startWorkerProcess, tenantOf } from './installation.ts';

let browser: Browser;
let installation: Installation;

beforeAll(async () => {
  browser = await openBrowser();
  installation = await install({ LEASE_SECONDS: '16', HEARTBEAT_SECONDS: '2', POLL_INTERVAL_MS: '100' }, 'api');
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await cleanUp();
  await installation?.database.drop();
}, 60_000);

describe('a run whose worker is killed while its page is open', () => {
  it('says why it waits, that the worker is silent, that another takes over, and ends with a receipt that adds up', async () => {
    const person = await visit(browser, installation.url);
    const { page } = person;
    await signIn(person, installation.admin.email, installation.admin.password);
    const [runId = ''] = await handInSteps(installation, await tenantOf(installation), { steps: 400, pauseMs: 60 });

    await page.goto(`/r/${runId}`);
    await page
      .getByText(/no worker/i)
      .first()
      .waitFor();
    await shoot(page, 'worker-1-none');

    const first = startWorkerProcess(installation);
    await page
      .getByText(/ of 400 steps/)
      .first()
      .waitFor();
    await first.kill();
    await page.getByText(/The worker has been silent for/).waitFor({ timeout: 60_000 });
    await shoot(page, 'worker-2-silent');

    const second = startWorkerProcess(installation);
    await page.getByText(/was lost with its worker/).waitFor({ timeout: 60_000 });
    await page.getByText(/took over from the last checkpoint/).waitFor({ timeout: 60_000 });
    await shoot(page, 'worker-3-taken-over');
    await page.getByText('✓ adds up').waitFor({ timeout: 60_000 });
    await shoot(page, 'worker-4-done');
    await second.kill();

    const stored = await installation.database.query<{ at: number }>('select at from steps where run_id = $1', [runId]);
    expect(new Set(stored.map(({ at }) => at)).size).toBe(400);
    expect(stored).toHaveLength(400);
    expect(person.faults).toEqual([]);
  }, 180_000);

  it('says that the server is away when it is, and goes on by itself when it is back', async () => {
    const person = await visit(browser, installation.url);
    await signIn(person, installation.admin.email, installation.admin.password);
    const mark = person.page.getByRole('status').filter({ hasText: /Live|Reconnecting/ });
    await mark.filter({ hasText: 'Live' }).waitFor();
    await person.context.setOffline(true);
    await mark.filter({ hasText: 'Reconnecting' }).waitFor();
    await person.context.setOffline(false);
    await mark.filter({ hasText: 'Live' }).waitFor();
    expect(person.faults).toEqual([]);
    await person.context.close();
  }, 90_000);
});
