// Items in the console: one click on the sample, the grid with its strip, a row's record, a corrected cell, a reprocessed row, an export, and what is pending.
import { describe, expect, it } from 'vitest';
import { shoot } from './browser.ts';
import { useConsole } from './use-console.ts';

// An endpoint of this machine may be asked: nobody listens there.
const stage = useConsole({ POLL_INTERVAL_MS: '100', ALLOW_PRIVATE_WEBHOOKS: 'true' });

describe('items', () => {
  it('the sample shows every fate within the first look; a row is corrected in its cell and found', async () => {
    const person = await stage.enter();
    const { page } = person;
    await page.getByRole('button', { name: /Rows matched with a catalogue/ }).click();
    await page.waitForURL('**/r/*');
    await page.getByRole('link', { name: 'Items', exact: true }).first().click();
    const strip = page.getByRole('group', { name: 'Rows by status' });
    await strip.getByRole('button', { name: /^9 .*DONE/ }).waitFor();
    for (const part of [/^2 .*NOT_FOUND/, /^1 .*ERROR/, /^1 .*SKIPPED/, /^13 rows/])
      await strip.getByRole('button', { name: part }).waitFor();
    const grid = page.getByRole('table', { name: 'Items' });
    await grid.getByText('Row 1 of the file is the same.').waitFor();
    await shoot(page, 'items-1-grid');

    // A part of the strip filters, and the address keeps it.
    await strip.getByRole('button', { name: /NOT_FOUND/ }).click();
    await grid.getByText('Porcelain teapot with strainer').waitFor();
    await grid.getByText('Electric kettle').first().waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('status')).toBe('NOT_FOUND');

    // The record on the right: what was recognised, and each attempt with what was asked.
    await grid.getByRole('button', { name: 'Record of row 10' }).click();
    const record = page.getByRole('dialog', { name: 'Row 10' });
    await record.getByRole('region', { name: 'Recognised' }).getByText('Potters Row').waitFor();
    await record.getByRole('table', { name: 'Attempts' }).getByText('NOT_FOUND').waitFor();
    await record.getByRole('table', { name: 'Requests' }).getByText('gtin').first().waitFor();
    await shoot(page, 'items-2-record');
    await page.keyboard.press('Escape');
    await record.waitFor({ state: 'detached' });

    // A cell is corrected where it stands; the row goes on and is found, the original stays.
    await strip.getByRole('button', { name: /rows$/ }).click();
    const row = grid.getByRole('row').filter({ hasText: 'Porcelain teapot with strainer' });
    await row.locator('td').nth(3).dblclick();
    await page.getByLabel('Article of row 10').fill('CUP-0006');
    await page.getByLabel('Article of row 10').press('Enter');
    await strip.getByRole('button', { name: /^10 .*DONE/ }).waitFor();
    await row.getByText('Stoneware mug 350 ml blue').waitFor();
    await row.getByRole('button', { name: 'Record of row 10' }).click();
    await page.getByRole('dialog', { name: 'Row 10' }).getByText('was “”').waitFor();
    await shoot(page, 'items-3-corrected');
    await page.keyboard.press('Escape');

    // Find text in one column.
    await page.getByLabel('Column to look in').selectOption('Brand');
    await page.getByLabel('Text in a cell').fill('sitwell');
    await page.getByRole('button', { name: 'Find' }).click();
    await grid.getByText('Office chair', { exact: true }).waitFor();
    await grid.getByText('Toaster', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show all' }).click();
    await grid.getByText('Toaster', { exact: true }).waitFor();

    // A chosen row is processed again.
    await page.getByLabel('Select row 9').check();
    await page.getByRole('button', { name: 'Reprocess 1 selected' }).click();
    await page.getByRole('button', { name: 'Reprocess 1 selected' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Export CSV' }).click();
    await page.getByText(/13 rows as of/).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download CSV' }).click();
    expect((await download).suggestedFilename()).toMatch(/^items .*\.csv$/);
    await shoot(page, 'items-4-export');
    expect(person.faults).toEqual([]);
  });

  it('the sample of images shows every fate within the first look, with the twin, the reason and what the barcode says', async () => {
    const person = await stage.enter();
    const { page } = person;
    await page.getByRole('button', { name: /Images matched by their barcodes/ }).click();
    await page.waitForURL('**/r/*');
    await page.getByRole('link', { name: 'Items', exact: true }).first().click();
    const strip = page.getByRole('group', { name: 'Rows by status' });
    for (const part of [/^2 .*DONE/, /^1 .*NOT_FOUND/, /^1 .*ERROR/, /^1 .*SKIPPED/, /^5 rows/])
      await strip.getByRole('button', { name: part }).waitFor();
    const grid = page.getByRole('table', { name: 'Items' });
    await grid.getByText('4006381333931').first().waitFor();
    await grid.getByText(/Nearly the same as the image of row \d/).waitFor();
    await grid.getByText(/The image cannot be read/).waitFor();
    await shoot(page, 'items-9-images');
    expect(person.faults).toEqual([]);
  });

  it('what waits for a retry is listed in its job and over all jobs, and can be started again', async () => {
    const person = await stage.enter();
    const { page } = person;
    const columns = [{ name: 'name', path: 'name' }];
    // Every row is tried again later.
    const options = { url: 'http://127.0.0.1:9/{{SKU}}', columns };
    const answer = await page.evaluate(async (given) => {
      const form = new FormData();
      form.set('processor', 'http');
      form.set('options', JSON.stringify(given));
      form.set('file', new Blob(['SKU,Title\nA-1,Lamp\nB-2,Chair\n']), 'orders.csv');
      const sent = await fetch('/api/jobs', { method: 'POST', body: form });
      return { status: sent.status, body: (await sent.json()) as { jobId: string } };
    }, options);
    expect(answer.status).toBe(202);
    await page.goto(`/r/${answer.body.jobId}/pending`);
    await page.getByText('Lamp').or(page.getByText('A-1')).first().waitFor();
    await page.goto('/data/pending');
    const list = page.getByRole('table', { name: 'Pending items' });
    await list.getByText('Lamp').waitFor();
    await list.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: 'Reprocess 1 selected' }).click();
    await page.getByText(/^\d item/).waitFor();
    await page.getByLabel('Id of a job').fill(answer.body.jobId);
    await list.getByText('Chair').waitFor();
    await page.getByLabel('Kind of job').selectOption('image');
    await page.getByText('Nothing is pending').waitFor();
    await shoot(page, 'items-5-pending');
    await page.getByLabel('Kind of job').selectOption('csv');
    await list.getByRole('link', { name: 'Go to job' }).first().click();
    await page.getByRole('table', { name: 'Items' }).getByText('Lamp').waitFor();
    await page.goto('/data/new-job');
    await page.getByLabel('File of the job').setInputFiles({
      name: 'orders.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('SKU,Title\nKET-1700,Kettle\nNO-1,Nothing at all\n'),
    });
    await page.getByLabel('Catalogue').selectOption('sample');
    await page.getByRole('button', { name: 'Try it on five rows' }).click();
    const tried = page.getByRole('table', { name: 'Tried rows' });
    await tried.getByText('Electric kettle 1.7 l brushed steel').waitFor();
    await tried.getByText('NOT_FOUND').waitFor();
    await shoot(page, 'items-7-tried');
    await page.getByRole('button', { name: 'Start the job' }).click();
    await page.waitForURL('**/r/*/items');
    await page
      .getByRole('group', { name: 'Rows by status' })
      .getByRole('button', { name: /^1 .*NOT_FOUND/ })
      .waitFor();
    await page.goto('/data/catalogs');
    await page.getByRole('table', { name: 'Catalogues' }).getByText('sample').waitFor();
    await shoot(page, 'items-6-catalogues');
    expect(person.faults).toEqual([]);
  });
});
