// Two tenants at two browsers: neither sees a trace of the other, by list, by search or by address.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp } from '../acceptance/millrace-process.ts';
import { choosePassword, openBrowser, type Person, shoot, signIn, visit } from './browser.ts';
import { addPerson, addTenant, handInSteps, type Installation, install } from './installation.ts';

let browser: Browser;
let installation: Installation;

beforeAll(async () => {
  browser = await openBrowser();
  installation = await install();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await cleanUp();
  await installation?.database.drop();
}, 60_000);

async function join(tenant: string, email: string): Promise<{ person: Person; runId: string }> {
  const tenantId = await addTenant(installation, tenant);
  const oneTime = await addPerson(installation, { tenant, email });
  const [runId = ''] = await handInSteps(installation, tenantId, { steps: 1 });
  const person = await visit(browser, installation.url);
  await signIn(person, email, oneTime);
  await choosePassword(person, oneTime, `the password of ${tenant}`);
  return { person, runId };
}

describe('two tenants', () => {
  it('each sees its own run and is told that the other’s does not exist', async () => {
    const acme = await join('Acme', 'ada@acme.test');
    const globex = await join('Globex', 'gus@globex.test');
    for (const [own, foreign] of [
      [acme, globex],
      [globex, acme],
    ] as const) {
      const { page } = own.person;
      await page.goto('/runs');
      await page.locator(`[data-run="${own.runId}"]`).waitFor();
      expect(await page.locator('[data-run]').count()).toBe(1);

      await page.goto(`/runs?q=${foreign.runId}`);
      await page.getByText('No run matches').waitFor();
      await page.goto(`/r/${foreign.runId}`);
      await page.getByText('There is no such run').waitFor();
      await shoot(page, `tenants-${own.runId === acme.runId ? 'acme' : 'globex'}`);
      expect(own.person.faults).toEqual([]);
    }
  }, 180_000);
});
