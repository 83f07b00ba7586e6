// What an operator does at a browser, against the real server: webhooks, alerts, clients, support access, connectors.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp } from '../acceptance/millrace-process.ts';
import { type FakeAirbyte, startFakeAirbyte } from '../support/fake-airbyte/server.ts';
import { waitFor } from '../support/wait-for.ts';
import { leaveBrowser, openBrowser, type Person, shoot, signIn, visit } from './browser.ts';
import { addPerson, type Installation, install, submitSteps, tenantOf } from './installation.ts';

interface Message {
  readonly id: string | undefined;
  readonly body: string;
}

let browser: Browser;
let airbyte: FakeAirbyte;
let receiver: Server;
let address = '';
let installation: Installation;
let tenantId = '';
let person: Person;
let page: Page;
const received: Message[] = [];

beforeAll(async () => {
  browser = await openBrowser();
  airbyte = await startFakeAirbyte({ runMs: 500, rows: 42 });
  airbyte.addConnection({ name: 'Shop orders' });
  receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      received.push({ id: request.headers['webhook-id'] as string | undefined, body });
      response.end('thanks');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  installation = await install({
    POLL_INTERVAL_MS: '100',
    ALLOW_PRIVATE_WEBHOOKS: 'true',
    AIRBYTE_BASE_URL: airbyte.url,
    AIRBYTE_API_TOKEN: airbyte.token,
    AIRBYTE_WORKSPACE_ID: airbyte.workspaceId,
  });
  tenantId = await tenantOf(installation);
  person = await visit(browser, installation.url);
  page = person.page;
  await signIn(person, installation.admin.email, installation.admin.password);
});
afterAll(async () => {
  await leaveBrowser();
  await cleanUp();
  receiver?.close();
  await airbyte?.close();
  await installation?.database.drop();
});

describe('webhooks', () => {
  it('the secret of a new endpoint is shown once, and a test arrives signed', async () => {
    await page.goto('/operate/webhooks');
    await page.getByRole('button', { name: 'Add an endpoint' }).click();
    await page.getByLabel('Address').fill(`${address}/hook`);
    await page.getByLabel('What it is for').fill('Billing');
    await page.getByRole('button', { name: 'Add and show the secret' }).click();
    const secret = await page.getByText(/^whsec_/).textContent();
    await shoot(page, 'webhooks-secret');
    await page.getByRole('link', { name: `${address}/hook` }).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The test arrived').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row').filter({ hasText: 'webhook.test' }).getByText('delivered').waitFor();
    await shoot(page, 'webhook-log');
    await page.reload();
    await page.getByRole('row').filter({ hasText: 'webhook.test' }).waitFor();
    expect(await page.content()).not.toContain(secret ?? 'whsec_');
    expect(received.at(-1)?.id).toBeTruthy();
  });

  it('what an endpoint missed while it was off is recovered, and a delivery can be sent again under its id', async () => {
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('button', { name: 'Switch on' }).waitFor();
    const [runId = ''] = await submitSteps(installation, tenantId, { steps: 1 });
    const row = page.getByRole('row').filter({ hasText: 'run.done' });
    await row.getByText('failed').waitFor();
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('button', { name: 'Recover…' }).click();
    await page.getByRole('button', { name: 'Send 1 delivery again' }).click();
    await row.getByText('delivered').waitFor();
    const first = received.find(({ body }) => body.includes(runId));
    await row.getByRole('button', { name: 'Resend' }).click();
    await waitFor(() => Promise.resolve(received.filter(({ body }) => body.includes(runId)).length === 2), {
      what: 'the second message',
    });
    expect(received.filter(({ id }) => id === first?.id)).toHaveLength(2);
    await row.getByRole('button', { name: 'Look' }).click();
    await page.getByRole('dialog').getByText('thanks').first().waitFor();
    await shoot(page, 'webhook-delivery');
    expect(person.faults).toEqual([]);
  });
});

describe('alerts', () => {
  it('a sink is added and tested; its address is never shown again', async () => {
    await page.goto('/operate/alerts');
    await page.getByRole('button', { name: 'Add a sink' }).click();
    await page.getByLabel('Send to').selectOption('webhook');
    await page.getByRole('dialog').getByLabel('Name').fill('On call');
    await page.getByLabel('Address').fill(`${address}/alerts?key=hidden-part`);
    await page.getByRole('button', { name: 'Add the sink' }).click();
    const row = page.getByRole('row').filter({ hasText: 'On call' });
    await row.getByRole('button', { name: 'Test' }).click();
    await page.getByText('The message arrived').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    expect(await page.content()).not.toContain('hidden-part');
  });

  it('a run that fails opens an alert, which somebody takes on; a rule is changed and set back', async () => {
    await submitSteps(installation, tenantId, { steps: 1, end: 'refuse' });
    const item = page.getByRole('listitem').filter({ hasText: 'Open the run' });
    await item.first().waitFor();
    await shoot(page, 'alerts-open');
    await item.first().getByRole('button', { name: 'Acknowledge' }).click();
    await page
      .getByText(/looks after it since/)
      .first()
      .waitFor();
    const rule = page
      .getByRole('row')
      .filter({ has: page.getByLabel(/^Threshold of /) })
      .first();
    await rule.getByRole('button', { name: 'Switch off' }).click();
    await rule.getByText('changed here').waitFor();
    await rule.getByRole('button', { name: 'Reset to default' }).click();
    await rule.getByText('changed here').waitFor({ state: 'detached' });
    expect(person.faults).toEqual([]);
  });
});

describe('runs', () => {
  it('are filtered in the address, opened by keyboard, and acted on together only after a count', async () => {
    await page.goto('/runs');
    await page.getByText('the last 2 runs, 1 failed').waitFor();
    await page.getByRole('button', { name: 'Failed', exact: true }).click();
    await page.waitForURL(/phase=/);
    await waitFor(async () => (await page.locator('[data-run]').count()) === 1, { what: 'one failed run' });
    await page.getByRole('button', { name: 'Save this filter…' }).click();
    await page.getByLabel('Name of the filter').fill('What broke');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.goto('/runs');
    await page.getByRole('button', { name: 'What broke', exact: true }).click();
    await page.waitForURL(/phase=failed/);
    await page.getByRole('button', { name: 'Delete the filter What broke' }).click();
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByRole('button', { name: 'Count', exact: true }).click();
    await page.getByRole('button', { name: 'Retry 1 run' }).click();
    await page.getByText(/^1 run .*\.$/).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page.goto('/runs');
    await page.locator('[data-run]').nth(2).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/r/*');
    expect(person.faults).toEqual([]);
  });
});

describe('people and labels', () => {
  it('a client is added and renamed, and the numbers can be narrowed to it', async () => {
    await page.goto('/operate/clients');
    await page.getByLabel('Name of the client').fill('Northwind');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('New name of Northwind').fill('Northwind Ltd');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Northwind Ltd' }).click();
    await page.waitForURL('**/data?client_id=*');
    const choice = page.getByRole('combobox', { name: 'Client', exact: true });
    await choice.waitFor();
    expect(await choice.inputValue()).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('support is let in for a reason and a while, and put out again', async () => {
    await addPerson(installation, { email: 'sue@support.test', role: 'support' });
    await page.goto('/operate/support');
    await page.getByText('Nobody from outside can see this tenant').waitFor();
    await page.getByLabel('Email of the support person').fill('sue@support.test');
    await page.getByLabel('Reason').fill('SUP-7: stuck run');
    await page.getByRole('button', { name: 'Give access' }).click();
    await page.getByText('allowed').waitFor();
    await page.getByRole('button', { name: 'Revoke access' }).click();
    await page.getByText('revoked').waitFor();
    expect(person.faults).toEqual([]);
  });
});

describe('connectors', () => {
  it('a connection is chosen at Airbyte, synced, and its history says how it went', async () => {
    await page.goto('/operate/connectors');
    await page.getByRole('button', { name: 'Add a connector' }).click();
    await page.getByLabel('Connection at Airbyte').selectOption({ index: 1 });
    await page.getByRole('dialog').getByLabel('Name').fill('Shop orders');
    await page.getByRole('textbox', { name: 'Account' }).fill('shop-1');
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    const item = page.getByRole('listitem').filter({ hasText: 'Shop orders' });
    await item.getByRole('button', { name: 'History' }).click();
    const sync = item.getByRole('button', { name: 'Sync now' });
    if (await sync.isEnabled()) await sync.click();
    await item.getByText('success').first().waitFor();
    await shoot(page, 'connector-history');
    expect(person.faults).toEqual([]);
  });

  it('is renamed, keeps the interval its plan fixes, and is removed while its past stays', async () => {
    const item = page.getByRole('listitem').filter({ hasText: 'Shop orders' });
    await item.getByRole('button', { name: 'Change…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Shop orders, Europe');
    await dialog.getByLabel('Every how many hours').fill('6');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('cadence_fixed').waitFor();
    await shoot(page, 'connector-refused');
    await dialog.getByLabel('Every how many hours').fill('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const renamed = page.getByRole('listitem').filter({ hasText: 'Shop orders, Europe' });
    await renamed.getByRole('button', { name: 'Remove…' }).click();
    await shoot(page, 'connector-remove');
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Nothing is connected yet').waitFor();
    await page.goto('/runs?pipeline=syncs');
    await page.locator('[data-run]').first().getByText('success').waitFor();
    expect(person.faults).toEqual([]);
  });
});
