// Support puts a dead letter back to work, with a ticket, and sees nothing else of the tenant.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp } from '../acceptance/millrace-process.ts';
import { choosePassword, openBrowser, shoot, signIn, visit } from './browser.ts';
import { addPerson, handInSteps, type Installation, install, tenantOf } from './installation.ts';

let browser: Browser;
let installation: Installation;

beforeAll(async () => {
  browser = await openBrowser();
  installation = await install({ POLL_INTERVAL_MS: '100' });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await cleanUp();
  await installation?.database.drop();
}, 60_000);

describe('support', () => {
  it('requeues a dead letter with a ticket and is led to the run that now does the work', async () => {
    const [runId = ''] = await handInSteps(installation, await tenantOf(installation), { steps: 2, end: 'deny' });
    const oneTime = await addPerson(installation, { email: 'sam@support.test', role: 'support' });
    const person = await visit(browser, installation.url);
    const { page } = person;
    await signIn(person, 'sam@support.test', oneTime);
    await choosePassword(person, oneTime, 'a long enough password');
    await page.getByText('Your role hands in no files').waitFor();

    await page.getByRole('link', { name: 'dead letters' }).click();
    await page.getByRole('button', { name: 'Requeue' }).click();
    await shoot(page, 'dead-letters-ticket');
    await page.getByLabel('Support ticket').fill('SUP-812');
    await page.getByRole('dialog').getByRole('button', { name: 'Requeue' }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/r/') && !url.pathname.includes(runId));
    await page.goto('/operate/keys');
    await page.getByText('Not for your role').waitFor();
    await shoot(page, 'denied');
    expect(person.faults).toEqual([]);
  }, 120_000);
});
