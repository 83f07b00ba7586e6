// A large upload: the page shows how much has left and how long it will take, and opens the run when the bytes are stored.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp } from '../acceptance/millrace-process.ts';
import { openBrowser, shoot, signIn, visit } from './browser.ts';
import { writeLargeMeta } from './dirty-files.ts';
import { type Installation, install } from './installation.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'millrace-console-'));
const megabyte = 1_000_000;
let browser: Browser;
let installation: Installation;

beforeAll(async () => {
  browser = await openBrowser();
  installation = await install({ UPLOAD_MAX_SIZE_MB: '60' });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await cleanUp();
  await installation?.database.drop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

describe('an upload of 50 MB', () => {
  it('shows its progress and an estimate, then its run, which does the same and can be cancelled', async () => {
    const file = writeLargeMeta(folder, 'meta_large.csv', 50 * megabyte);
    expect(statSync(file).size).toBeGreaterThanOrEqual(50 * megabyte);
    const person = await visit(browser, installation.url);
    const { page, context } = person;
    await signIn(person, installation.admin.email, installation.admin.password);
    // Slow enough that a person could read the progress.
    const line = await context.newCDPSession(page);
    await line.send('Network.enable');
    await line.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: 12 * megabyte,
    });
    await page.setInputFiles('input[type=file]', file);
    const shown: number[] = [];
    const bar = page.getByRole('progressbar', { name: 'Upload of meta_large.csv' });
    await bar.waitFor();
    await page.getByText(/MB\/s · .+ left/).waitFor();
    await shoot(page, 'upload-progress');
    while (!page.url().includes('/r/')) {
      const value = await bar.getAttribute('value', { timeout: 500 }).catch(() => null);
      if (value !== null) shown.push(Number(value));
      await page.waitForTimeout(100);
    }
    expect(new Set(shown).size).toBeGreaterThan(3);
    expect(shown).toEqual([...shown].sort((a, b) => a - b));
    await page
      .getByText(/ of 50\.\d MB/)
      .first()
      .waitFor();
    await page.getByText(/ a second · done in /).waitFor();
    await shoot(page, 'upload-run');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Retry' }).waitFor({ timeout: 60_000 });
    await shoot(page, 'upload-cancelled');
    expect(person.faults).toEqual([]);
  }, 300_000);

  it('that is too large is refused in words, with what to do', async () => {
    const person = await visit(browser, installation.url);
    await signIn(person, installation.admin.email, installation.admin.password);
    const file = writeLargeMeta(folder, 'meta_too_large.csv', 70 * megabyte);
    await person.page.setInputFiles('input[type=file]', file);
    const alert = person.page.getByRole('alert');
    await alert.waitFor({ timeout: 60_000 });
    await shoot(person.page, 'upload-refused');
    expect(await alert.textContent()).toMatch(/large|MB|bytes/i);
  }, 120_000);
});
