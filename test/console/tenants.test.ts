// Two tenants at two browsers: neither sees a trace of the other, by list, by search or by address.
import { describe, expect, it } from 'vitest';
import { choosePassword, type Person, shoot, signIn } from './browser.ts';
import { addPerson, addTenant, submitSteps } from './installation.ts';
import { useConsole } from './use-console.ts';

const stage = useConsole({});

async function join(tenant: string, email: string): Promise<{ person: Person; runId: string }> {
  const tenantId = await addTenant(stage.installation, tenant);
  const oneTime = await addPerson(stage.installation, { tenant, email });
  const [runId = ''] = await submitSteps(stage.installation, tenantId, { steps: 1 });
  const person = await stage.visit();
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
  });
});
