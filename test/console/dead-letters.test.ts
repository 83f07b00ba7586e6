// Support puts a dead letter back to work, with a ticket, and sees nothing else of the tenant.
import { describe, expect, it } from 'vitest';
import { choosePassword, shoot, signIn } from './browser.ts';
import { addPerson, submitSteps, tenantOf } from './installation.ts';
import { useConsole } from './use-console.ts';

const stage = useConsole();

describe('support', () => {
  it('requeues a dead letter with a ticket and is led to the run that now does the work', async () => {
    const [runId = ''] = await submitSteps(stage.installation, await tenantOf(stage.installation), {
      steps: 2,
      end: 'deny',
    });
    const oneTime = await addPerson(stage.installation, { email: 'sam@support.test', role: 'support' });
    const person = await stage.visit();
    const { page } = person;
    await signIn(person, 'sam@support.test', oneTime);
    await choosePassword(person, oneTime, 'a long enough password');
    await page.getByText('Your role may not upload files').waitFor();

    await page.getByRole('link', { name: 'dead letters' }).click();
    await page.getByRole('button', { name: 'Requeue' }).click();
    await shoot(page, 'dead-letters-ticket');
    await page.getByLabel('Ticket or reason').fill('SUP-812');
    await page.getByRole('dialog').getByRole('button', { name: 'Requeue' }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/r/') && !url.pathname.includes(runId));
    await page.goto('/operate/keys');
    await page.getByText('Not for your role').waitFor();
    await shoot(page, 'denied');
    expect(person.faults).toEqual([]);
  });
});
