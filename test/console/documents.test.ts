// Documents in the console: uploaded with progress, seen page by page beside their chunks, fixed, versioned, deactivated and erased.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildPdf, prose } from '../support/document-files.ts';
import { shoot } from './browser.ts';
import { useConsole } from './use-console.ts';

const stage = useConsole();

async function writePdf(name: string): Promise<string> {
  const file = path.join(stage.folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  const table = [
    ['Record', 'Years'],
    ['Contracts', '10'],
  ];
  const pages = [
    { heading: 'Retention of records', lines: prose(1, 24) },
    { heading: 'Access to records', lines: prose(2, 12), table },
    {},
  ];
  writeFileSync(file, await buildPdf(pages));
  return file;
}

describe('documents', () => {
  it('a PDF is uploaded, shown with its page beside its chunks, fixed, and taken away', async () => {
    const person = await stage.enter();
    const { page } = person;
    await page.goto('/data/documents');
    await page.getByText('No documents yet').waitFor();
    const file = await writePdf('records.pdf');
    await page.getByLabel('Documents to upload').setInputFiles(file);
    await page.getByRole('region', { name: 'Uploads' }).getByText('Stored.').waitFor();
    await page.getByRole('link', { name: 'records.pdf' }).first().waitFor();
    const row = page.getByRole('row', { name: /records\.pdf/ });
    await row.waitFor();
    expect(await row.textContent()).toMatch(/v1.*3.*PDF, uploaded/s);
    await shoot(page, 'documents-list');

    await page.getByLabel('Documents to upload').setInputFiles(file);
    await page.getByText('Already ingested, no changes.').waitFor();
    await page.getByRole('button', { name: 'Clear finished files' }).click();

    await row.getByRole('link', { name: 'records.pdf' }).click();
    await page.getByRole('img', { name: 'Page 1 as it looks' }).waitFor();
    await page.waitForFunction('document.querySelector("img[alt^=Page]").naturalWidth > 100');
    await page.getByText('3 pages = 2 text + 1 empty').waitFor();

    // Pointing at a chunk marks its boxes; pointing at a box marks its chunk.
    const chunk = page.locator('button[data-chunk="0"]');
    await chunk.hover();
    await page.locator('.page-box[data-chunk="0"][data-hot]').first().waitFor({ state: 'attached' });
    await shoot(page, 'document-page');
    await page.locator('h2').first().hover();
    await page.locator('.page-box[data-hot]').first().waitFor({ state: 'detached' });
    await page.locator('.page-box[data-chunk="0"]').first().hover();
    await page.locator('button[data-chunk="0"][data-hot]').waitFor();
    const box = await page.locator('.page-box').first().boundingBox();
    const sheet = await page.locator('.page-sheet').boundingBox();
    expect(box && sheet && box.x >= sheet.x && box.x + box.width <= sheet.x + sheet.width + 1).toBe(true);

    await page.getByRole('button', { name: '3 · empty' }).click();
    await page.getByText('Search does not use this page').waitFor();
    expect(new URL(page.url()).searchParams.get('page')).toBe('3');

    await page.getByRole('button', { name: 'Page before' }).click();
    await page.getByRole('heading', { name: 'Page 2 of 3' }).waitFor();
    await page.getByRole('button', { name: 'Exclude it' }).click();
    await page.getByText('v2 served since').waitFor();
    await page.getByText('left out by a person').waitFor();
    await page.getByRole('button', { name: 'Show what changed' }).click();
    await page.getByText('− removed').first().waitFor();
    await shoot(page, 'document-changes');
    await page.getByRole('slider', { name: 'Version' }).press('ArrowLeft');
    await page.getByRole('button', { name: 'Serve v1' }).waitFor();

    await page.getByRole('button', { name: 'Title and tags' }).click();
    await page.getByLabel('Title', { exact: true }).fill('Records policy');
    await page.getByRole('textbox', { name: 'Tags' }).fill('legal, hr');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Records policy' }).waitFor();
    await page.getByRole('link', { name: 'legal' }).click();
    await page.getByRole('row', { name: /Records policy/ }).waitFor();
    await page.getByRole('link', { name: 'Records policy' }).click();

    const markdown = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Markdown' }).click();
    expect((await markdown).suggestedFilename()).toBe('Records policy.md');

    await page.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('inactive', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Serve v2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Serve v2' }).click();
    await page.getByText('v2 served since').waitFor();

    await page.getByRole('button', { name: 'Purge' }).click();
    await page.getByLabel('Type its title: Records policy').fill('something else');
    await page.getByRole('button', { name: 'Erase for good' }).click();
    await page.getByText('This is not the title').waitFor();
    await page.getByLabel('Type its title: Records policy').fill('Records policy');
    await page.getByRole('button', { name: 'Erase for good' }).click();
    await page.getByText('No documents yet').waitFor();
    expect(person.faults).toEqual([]);
  });

  it('a document without pages shows its sections as text, with the range of a chunk marked', async () => {
    const person = await stage.enter();
    const { page } = person;
    await page.goto('/data/documents');
    const file = path.join(stage.folder, 'notes.md');
    writeFileSync(file, `# Rules\n\n<script>alert(1)</script>\n\n${prose(5, 12).join('\n\n')}\n`);
    await page.getByLabel('Documents to upload').setInputFiles(file);
    await page
      .getByRole('row', { name: /notes\.md/ })
      .getByRole('link')
      .first()
      .click();
    await page.getByRole('heading', { name: 'Section 1 of 1' }).waitFor();
    await page.locator('button[data-chunk="0"]').hover();
    await page.locator('mark').first().waitFor();
    expect(await page.locator('mark').allTextContents()).toContainEqual(expect.stringContaining('rule number 3'));
    await shoot(page, 'document-section');

    // The run leads to the document it made.
    await page.goto('/runs');
    await page.getByRole('link', { name: 'notes.md' }).first().click();
    await page.getByRole('link', { name: 'Document' }).click();
    await page.getByRole('heading', { name: 'Section 1 of 1' }).waitFor();
    expect(person.faults).toEqual([]);
  });
});
