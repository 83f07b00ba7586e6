// Sources in the console, on a bucket and an SFTP server: connected step by step, synced, asked about, changed and removed.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prose } from '../support/document-files.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { startSftpServer } from '../support/sftp-server.ts';
import { shoot } from './browser.ts';
import { useConsole } from './use-console.ts';

const stage = useConsole({ POLL_INTERVAL_MS: '100', ALLOW_PRIVATE_SOURCES: 'true' });
const secret = 'secret-key-nobody-shows';
let server: S3Server;
let client: S3Client;

beforeAll(async () => {
  server = await startS3Server('contracts');
  client = new S3Client({
    endpoint: server.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: secret },
    forcePathStyle: true,
  });
});
afterAll(async () => {
  client?.destroy();
  await server?.close();
});

const put = (Key: string, Body: string) => client.send(new PutObjectCommand({ Bucket: server.bucket, Key, Body }));
const remove = (Key: string) => client.send(new DeleteObjectCommand({ Bucket: server.bucket, Key }));
const text = (seed: number) => prose(seed, 6).join('\n\n');
const object = (page: Page, name: string) => page.getByRole('table', { name: 'Objects' }).getByRole('row', { name });

async function syncNow(page: Page, status: string): Promise<void> {
  const syncs = page.getByRole('table', { name: 'Syncs' }).getByRole('row');
  const before = await syncs.count();
  await page.getByRole('button', { name: 'Sync now' }).click();
  await syncs.nth(before).waitFor();
  await syncs
    .nth(1)
    .getByText(new RegExp(`${status}$`))
    .waitFor();
}

describe('a source', () => {
  it('is connected by looking at what each object would become, then synced, asked about, narrowed and removed', async () => {
    for (const n of [1, 2, 3]) await put(`2026/policy${n}.txt`, text(n));
    await put('2026/setup.exe', 'MZ');
    await put('old/letter.txt', text(9));
    const person = await stage.enter();
    const { page } = person;
    await page.goto('/operate/sources');
    await page.getByText('No source is connected yet').waitFor();
    await page.getByRole('link', { name: 'Add a source' }).click();

    await page.getByLabel('Bucket', { exact: true }).fill('contracts');
    await page.getByLabel('Endpoint').fill(server.endpoint);
    await page.getByLabel('Access key id').fill('test');
    await page.getByLabel('Secret access key').fill(secret);
    expect(await page.getByRole('button', { name: 'Continue' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page.getByText('s3://contracts/ can be reached').waitFor();
    await page.getByRole('button', { name: '2026/', exact: true }).click();
    await page.getByText('s3://contracts/2026/ can be reached').waitFor();
    await shoot(page, 'sources-where');
    await page.getByRole('button', { name: 'Continue' }).click();

    await page.getByLabel('What its files become').selectOption('documents');
    expect(await page.getByLabel('Prefix').inputValue()).toBe('2026/');
    await page.getByLabel('Name', { exact: true }).fill('Contracts');
    await page.getByLabel('Title', { exact: true }).fill('Contract {stem}');
    await shoot(page, 'sources-what');
    await page.getByRole('button', { name: 'Show the preview' }).click();
    await page.getByText('3 of the first 4 objects would become runs').waitFor();
    const first = page.getByRole('table', { name: 'First objects' });
    expect(await first.getByRole('row', { name: /policy1\.txt/ }).textContent()).toContain('Contract policy1');
    expect(await first.getByRole('row', { name: /setup\.exe/ }).textContent()).toMatch(/would be refused.*\.exe/);
    await shoot(page, 'sources-look');
    await page.getByRole('button', { name: 'Save and sync now' }).click();

    await page.getByRole('heading', { name: 'Contracts' }).waitFor();
    await object(page, 'policy3.txt').getByText('taken in').waitFor();
    await object(page, 'setup.exe').getByText('refused').waitFor();
    await page.getByRole('table', { name: 'Syncs' }).getByText('partial').waitFor();
    expect(await page.content()).not.toContain(secret);
    await shoot(page, 'source-page');
    await page.getByRole('link', { name: 'Open the run of 2026/policy1.txt' }).click();
    await page.getByRole('heading', { name: /policy1/ }).waitFor();
    await page.goBack();

    // Two of three vanish at once: nothing is taken away before somebody says so.
    await remove('2026/policy1.txt');
    await remove('2026/policy2.txt');
    await syncNow(page, 'held');
    await page.getByText('2 of 3 objects of the source have vanished at once').waitFor();
    await shoot(page, 'source-asks');
    await page.goto('/operate/sources');
    const card = page.getByRole('listitem', { name: 'Contracts' });
    await card.getByText('waiting for an answer').waitFor();
    // The strip of its syncs, oldest first: each says what it found.
    await card.getByText('The last 2 syncs').waitFor();
    const told = await card
      .locator('a [title]')
      .evaluateAll((marks) => marks.map((mark) => mark.getAttribute('title')));
    expect(told).toEqual([expect.stringContaining('3 new, 1 refused'), expect.stringMatching(/^waits for an answer/)]);
    await shoot(page, 'sources-list');
    await card.getByRole('button', { name: /^Yes: deactivate/ }).click();
    await card.getByRole('link', { name: '2 vanished', exact: true }).click();
    await object(page, 'policy1.txt')
      .getByText(/vanished/)
      .waitFor();
    await page.getByRole('link', { name: 'show' }).first().click();
    const finds = page.getByRole('table', { name: 'What this sync found' });
    await finds.getByRole('row', { name: /policy2\.txt vanished/ }).waitFor();
    await finds.getByRole('row', { name: /setup\.exe refused/ }).waitFor();
    await shoot(page, 'source-finds');

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('paused: no next sync').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Sync now' }).waitFor();

    await page.getByRole('link', { name: 'Change…' }).click();
    await page.getByLabel('Include patterns').fill('*.pdf');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('What becomes of what 1 object brought?').waitFor();
    await shoot(page, 'source-narrowed');
    await page.getByLabel(/^Deactivate it/).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'vanished 4' }).waitFor();

    await page.getByRole('button', { name: 'Remove…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No source is connected yet').waitFor();
    expect(person.faults).toEqual([]);
  });

  it('on an SFTP server goes on only when a person has confirmed the key the server shows', async () => {
    const root = path.join(stage.folder, 'sftp');
    mkdirSync(root);
    writeFileSync(path.join(root, 'march.csv'), 'Day,Spend\n2026-03-01,1\n');
    utimesSync(path.join(root, 'march.csv'), new Date(), new Date(Date.now() - 3_600_000));
    const sftp = await startSftpServer(root);
    const person = await stage.enter({ width: 390, colours: 'dark' });
    const { page } = person;
    await page.goto('/operate/sources/new');
    await page.getByRole('radio', { name: /SFTP server/ }).check();
    await page.getByLabel('Host', { exact: true }).fill('127.0.0.1');
    await page.getByLabel('Port').fill(String(sftp.port));
    await page.getByLabel('User').fill(sftp.credential.username);
    await page.getByLabel('Password').fill('not-this-one');
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page.getByText('source_denied').waitFor();
    await page.getByLabel('Password').fill(sftp.credential.password);
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page.getByText(/SHA256:[A-Za-z0-9+/]{43}/).waitFor();
    expect(await page.getByRole('button', { name: 'Continue' }).isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: /The server shows the key/ }).check();
    await shoot(page, 'sources-sftp-phone');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('What its files become').selectOption('ads');
    await page.getByLabel('Name', { exact: true }).fill('Partner');
    await page.getByRole('button', { name: 'Show the preview' }).click();
    await page.getByText('1 of the first 1 objects would become runs').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('not synced yet').waitFor();
    const pinned = page.getByText(/^SHA256:/);
    expect(await pinned.textContent()).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
    await shoot(page, 'source-phone');
    const before = await pinned.textContent();
    await sftp.close();

    // The server comes back with another key: it is shown and told nothing before a person accepts it.
    const other = await startSftpServer(root, sftp.port);
    await page.getByRole('link', { name: 'Change…' }).click();
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page.getByText('source_host_key_changed').waitFor();
    expect(other.signIns).toEqual([]);
    await page.getByRole('checkbox', { name: /The server shows the key/ }).check();
    await shoot(page, 'source-key-changed-phone');
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page.getByText('can be reached').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('not synced yet').waitFor();
    expect(await page.getByText(/^SHA256:/).textContent()).not.toBe(before);
    await other.close();
    expect(person.faults).toEqual([]);
  });

  it('shows the counts of its sync as they grow, and keeps its schedule, which the page says in words and by the hour it means', async () => {
    const day = (number: number) => {
      const id = String(number).padStart(8, '0');
      return `Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Link clicks\n2026-03-01,Spring,12021${id},1.50,10,1\n`;
    };
    // So many are written together; the one behind them is held back by the server.
    for (let number = 0; number < 40; number += 1)
      await put(`live/a${String(number).padStart(2, '0')}.csv`, day(number));
    await put('live/z.csv', day(99));
    let letGo: () => void = () => undefined;
    const until = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    server.fail({ method: 'GET', url: /\/live\/z\.csv/, times: 10, act: { until } });
    const person = await stage.enter();
    const { page } = person;
    await page.goto('/operate/sources/new');
    await page.getByLabel('Bucket', { exact: true }).fill('contracts');
    await page.getByLabel('Endpoint').fill(server.endpoint);
    await page.getByLabel('Access key id').fill('test');
    await page.getByLabel('Secret access key').fill(secret);
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page.getByRole('button', { name: 'live/', exact: true }).click();
    await page.getByText('s3://contracts/live/ can be reached').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('What its files become').selectOption('ads');
    await page.getByLabel('Platform').fill('meta');
    await page.getByLabel('Name', { exact: true }).fill('Numbers');
    await page.getByLabel('Schedule').fill('every morning');
    await page.getByRole('button', { name: 'Show the preview' }).click();
    await page.getByRole('alert').first().waitFor();
    await shoot(page, 'sources-schedule-wrong');
    await page.getByLabel('Schedule').fill('30 4 * * *');
    await page.getByLabel('Time zone').fill('Asia/Kolkata');
    await page.getByLabel('Spread starts over (seconds)').fill('0');
    await page.getByRole('button', { name: 'Show the preview' }).click();
    await page.getByText('20 of the first 20 objects would become runs').waitFor();
    await page.getByRole('button', { name: 'Save and sync now' }).click();

    const live = page.getByRole('region', { name: 'Running sync' });
    await live.getByText('40 seen').waitFor();
    expect(await live.textContent()).toMatch(/Syncing now.*40 seen.*40 new.*0 changed.*0 refused/);
    await shoot(page, 'source-live-counts');
    letGo();
    await live.waitFor({ state: 'detached' });
    await object(page, 'z.csv').getByText('taken in').waitFor();
    await page.getByText('30 4 * * * (Asia/Kolkata)').waitFor();
    const next = await page
      .getByText(/^next /)
      .locator('time')
      .getAttribute('datetime');
    // Half past four in Kolkata is eleven at night in UTC.
    expect(next).toMatch(/T23:00:00/);

    await page.getByRole('link', { name: 'Change…' }).click();
    await page.getByLabel('Schedule').fill('');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('only when asked').first().waitFor();
    expect(person.faults).toEqual([]);
  });
});
