// A large upload: the page shows how much has left and how long it will take, and opens the run when the bytes are stored.
import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { shoot } from './browser.ts';
import { writeLargeMeta } from './dirty-files.ts';
import { useConsole } from './use-console.ts';

const megabyte = 1_000_000;
const stage = useConsole({ UPLOAD_MAX_SIZE_MB: '60' });

describe('an upload of 50 MB', () => {
  it('shows its progress and an estimate, then its run, which does the same and can be cancelled', async () => {
    const file = writeLargeMeta(stage.folder, 'meta_large.csv', 50 * megabyte);
    expect(statSync(file).size).toBeGreaterThanOrEqual(50 * megabyte);
    const person = await stage.enter();
    const { page, context } = person;
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
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    await page
      .locator('header')
      .getByText(/cancelled$/)
      .waitFor();
    await page.getByText('it ended before its rows were counted').waitFor();
    await shoot(page, 'upload-cancelled');
    expect(person.faults).toEqual([]);
  });

  it('that is too large is refused in words, with what to do', async () => {
    const person = await stage.enter();
    const file = writeLargeMeta(stage.folder, 'meta_too_large.csv', 70 * megabyte);
    await person.page.setInputFiles('input[type=file]', file);
    const alert = person.page.getByRole('alert');
    await alert.waitFor();
    await shoot(person.page, 'upload-refused');
    expect(await alert.textContent()).toMatch(/large|MB|bytes/i);
  });
});
