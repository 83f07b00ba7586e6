// How a file was read and mapped can be set otherwise, rows can be looked at by how they ended, and two plaintiffs can be one person.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { type Person, shoot } from './browser.ts';
import { metaRow, metaText } from './dirty-files.ts';
import { uploadMeta } from './installation.ts';
import { useConsole } from './use-console.ts';

const stage = useConsole();
let person: Person;
let page: Page;
let second = '';

beforeAll(async () => {
  const rows = Array.from({ length: 40 }, (_, index) => metaRow(index));
  await uploadMeta(stage.installation, 'winter.csv', metaText(rows));
  const restated = rows.map((row, index) => (index < 4 ? metaRow(index, { spend: '13.75' }) : row));
  const refused = metaRow(600, { spend: 'about nine' });
  second = await uploadMeta(
    stage.installation,
    'winter-again.csv',
    metaText([...restated, metaRow(500), metaRow(500), refused]),
  );
  person = await stage.enter();
  page = person.page;
});

async function fetchFile(name: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByText(name, { exact: true }).click()]);
  return readFileSync(await download.path(), 'utf8');
}

describe('a receipt', () => {
  it('filters the rows: each segment shows as many as it counts, and each stored figure its provenance', async () => {
    await page.goto(`/r/${second}`);
    await page.getByText('✓ adds up').waitFor();
    for (const [outcome, rows] of [
      ['updated', 4],
      ['unchanged', 36],
      ['inserted', 1],
      ['superseded', 1],
    ] as const) {
      await page
        .getByRole('region', { name: 'Receipt' })
        .getByRole('link', { name: `${rows} ${outcome}` })
        .click();
      await page.getByRole('heading', { name: `Rows that ended as ${outcome}` }).waitFor();
      await waitFor(async () => (await page.locator('tbody tr').count()) === rows, { what: `${rows} rows ${outcome}` });
    }
    await page.goto(`/r/${second}/rows?outcome=updated`);
    await page.getByRole('button', { name: '13.75' }).first().click();
    await page.getByText('the line it was read from').waitFor();
    await shoot(page, 'rows-updated');
    expect(await page.getByRole('dialog').textContent()).toContain('winter-again.csv');
    expect(person.faults).toEqual([]);
  });
});

describe('the stage chart', () => {
  it('opens an attempt by click and by keyboard: its times, wait, work, worker and end', async () => {
    await page.goto(`/r/${second}`);
    await page.getByRole('button', { name: /^Details of parse: / }).click();
    const parse = page.getByRole('region', { name: 'Attempt 1 of parse' });
    for (const fact of ['In the queue', 'Work', 'Queued', 'Started', 'Ended', 'Worker'])
      expect((await parse.getByText(fact, { exact: true }).locator('xpath=..').textContent())?.length).toBeGreaterThan(
        fact.length,
      );
    await parse.getByText('✓ passed on').waitFor();
    const read = parse.getByRole('table', { name: 'First rows as they were read' });
    await read.getByRole('cell', { name: '2026-01-01' }).first().waitFor();
    expect(await read.locator('tbody tr').count()).toBe(3);
    const stored = parse.getByRole('table', { name: 'The same rows as they ended' });
    await stored.getByRole('cell', { name: 'updated' }).first().waitFor();
    expect(await stored.locator('tbody tr').count()).toBe(3);
    await shoot(page, 'attempt-details');
    await page.getByRole('button', { name: /^Details of parse: / }).press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Attempt 1 of promote' }).getByText('✓ done').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: /^Attempt / }).waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Details of promote');
    expect(person.faults).toEqual([]);
  });
});

describe('files that go out and come back', () => {
  it('the original, the receipt and the refused rows are handed out; corrected ones are taken back', async () => {
    await page.goto(`/r/${second}`);
    const original = await fetchFile('Original file');
    expect(original).toContain('about nine');
    expect(JSON.parse(await fetchFile('Receipt (JSON)'))).toMatchObject({ receipt: { outcomes: { rejected: 1 } } });
    const rejects = await fetchFile('Rejects (CSV)');
    expect(rejects.split('\n')[0]).toMatch(/code.*message|message.*code/);
    await page.getByRole('link', { name: /^Rejects \d/ }).click();
    await page.getByRole('button', { name: 'Upload corrected CSV' }).waitFor();
    await page.locator('main input[type=file]').setInputFiles({
      name: 'corrected.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(rejects.replace('about nine', '9.00')),
    });
    await page.getByText('Replayed: 1 inserted').waitFor();
    await page.locator('[role=row][data-state=resolved]').first().waitFor();
    expect(person.faults).toEqual([]);
  });
});

describe('a reading', () => {
  it('is overridden by a person, says so, can be kept for files of its kind, and can be set back', async () => {
    await page.goto(`/r/${second}/reading`);
    await page.getByLabel('Order of dates').selectOption('dmy');
    await page.getByText('You changed how the file is read').waitFor();
    await shoot(page, 'reading-overridden');
    await page.getByRole('button', { name: 'Read files of this kind this way from now on' }).click();
    await page.getByText(/Millrace now reads files of this kind this way \(mapping version \d+\)/).waitFor();
    await page.getByLabel('Order of dates').selectOption('ymd');
    expect(person.faults).toEqual([]);
  });

  it('takes words for "empty" and for total rows, and two lines as the header, tried at once on the lines beside them', async () => {
    const rows = Array.from({ length: 12 }, (_, index) => metaRow(700 + index));
    const sum = '2026-01-01,2026-01-31,Jumla,,,,,,,150.00,n.d.,';
    const groups = ',,,,,,,,,Kosten,Sicht,Sicht';
    const run = await uploadMeta(stage.installation, 'winter-words.csv', `${groups}\n${metaText([sum, ...rows])}`);
    await page.goto(`/r/${run}/reading`);
    const empty = page.getByLabel('What is taken as empty', { exact: true });
    await empty.fill('n.d., –');
    await empty.press('Enter');
    await page.getByText('You changed how the file is read').waitFor();
    expect(await empty.inputValue()).toBe('n.d., –');

    // The label of a total in a language nobody thought of is taken for a campaign.
    const campaign = page.getByRole('cell', { name: 'Jumla' });
    const totals = page.getByLabel('Words that begin a total row', { exact: true });
    expect(await totals.inputValue()).toContain('gesamt');
    expect(await campaign.count()).toBe(1);
    await totals.fill('Jumla');
    await page.getByRole('button', { name: 'Set: Words that begin a total row' }).click();
    await campaign.waitFor({ state: 'detached' });

    const header = page.getByLabel('Header lines');
    const preamble = page.getByRole('list', { name: 'Lines set aside' }).getByText('preamble');
    expect(await header.inputValue()).toBe('1+2');
    await header.selectOption('line 2');
    await preamble.waitFor();
    await header.selectOption('lines 1 and 2');
    await preamble.waitFor({ state: 'detached' });
    await shoot(page, 'reading-words');

    expect(await empty.inputValue()).toBe('n.d., –');
    const totalRows = page.locator('dl > div').filter({ hasText: 'Total rows' });
    await totalRows.getByRole('button', { name: 'as detected' }).click();
    await campaign.waitFor();
    expect(person.faults).toEqual([]);
  });
});

describe('a mapping', () => {
  it('is changed and saved as a version under a name, and the next file of that header uses it', async () => {
    await page.goto(`/r/${second}/mapping`);
    const choice = page.locator('select').filter({ hasText: 'Impressions' }).last();
    await choice.selectOption('');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Meta without reach');
    await page.getByRole('button', { name: /^Save as version/ }).click();
    await page.getByText(/You changed the mapping \(now version \d+\)/).waitFor();
    await shoot(page, 'mapping-saved');
    const next = await uploadMeta(stage.installation, 'winter-next.csv', metaText([metaRow(900)]));
    await page.goto(`/r/${next}/mapping`);
    await page.getByRole('heading', { name: 'Meta without reach' }).waitFor();
    await page.getByText('saved by your team').waitFor();
    expect(person.faults).toEqual([]);
  });

  it('holds what every row has without a column, and the next file of that header has it, too', async () => {
    await page.goto(`/r/${second}/mapping`);
    const everyRow = page.getByRole('region', { name: 'The same in every row' });
    await everyRow.getByRole('combobox').selectOption('Time zone');
    await everyRow.getByRole('textbox', { name: 'Time zone' }).fill('Europe/Stockholm');
    await page.getByRole('button', { name: /^Save as version/ }).click();
    await page.getByText(/You changed the mapping \(now version \d+\)/).waitFor();
    await everyRow.scrollIntoViewIfNeeded();
    await shoot(page, 'mapping-every-row');
    const next = await uploadMeta(stage.installation, 'winter-zone.csv', metaText([metaRow(901)]));
    await page.goto(`/r/${next}/mapping`);
    expect(await everyRow.getByRole('textbox', { name: 'Time zone' }).inputValue()).toBe('Europe/Stockholm');
    await everyRow.getByRole('button', { name: 'No Time zone for every row' }).click();
    await page.getByRole('button', { name: /^Save as version/ }).click();
    await page.getByText(/You changed the mapping \(now version \d+\)/).waitFor();
    expect(await everyRow.getByRole('textbox').count()).toBe(0);
    expect(person.faults).toEqual([]);
  });
});

describe('a batch of judgments', () => {
  it('is read, mapped and fixed on the same pages as an upload', async () => {
    await page.goto('/');
    await page.getByRole('button', { name: /Court judgments/ }).click();
    await page.waitForURL('**/r/*');
    await page.getByText('✓ adds up').waitFor();
    const run = new URL(page.url()).pathname;
    const rejects = await fetchFile('Rejects (CSV)');
    await page.getByRole('region', { name: 'Receipt' }).getByRole('link', { name: '1 superseded' }).click();
    await page.getByRole('heading', { name: 'Rows that ended as superseded' }).waitFor();
    await waitFor(async () => (await page.locator('tbody tr').count()) === 1, { what: 'the repeated line' });
    expect(await page.locator('tbody tr').textContent()).toContain('CV-2025-000102');
    await page.goto(`${run}/rejects`);
    await page.getByRole('button', { name: 'Upload corrected CSV' }).waitFor();
    const fixed = rejects.split('\r\n').filter((line, index) => index === 0 || line.startsWith(',Missing'));
    await page.locator('main input[type=file]').setInputFiles({
      name: 'rejects.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`${fixed.join('\r\n').replace(',Missing', 'CV-2025-000199,Missing')}\r\n`),
    });
    await page.getByText('Replayed: 1 inserted').waitFor();
    await page.locator('[role=row][data-state=resolved]').first().waitFor();
    await shoot(page, 'judgments-returned');
    await page.getByRole('link', { name: 'Reading' }).click();
    await page.getByRole('heading', { name: 'Detected' }).waitFor();
    await shoot(page, 'judgments-reading');
    await page.getByRole('link', { name: 'Mapping' }).click();
    await page.locator('select').filter({ hasText: 'Defendant' }).last().selectOption('');
    await page.getByRole('button', { name: /^Save as version/ }).click();
    await page.getByText(/You changed the mapping/).waitFor();
    await shoot(page, 'judgments-mapping');
    await page.goto(`${run}/rejects`);
    await page.locator('[role=gridcell][aria-invalid]').first().dblclick();
    await page.keyboard.type('2025-02-28');
    await page.keyboard.press('Enter');
    await page.locator('[role=row][data-state=ready], [role=row][data-state=faulty], [role=alert]').first().waitFor();
    await shoot(page, 'judgments-edited');
    await page.getByRole('button', { name: 'Replay 1 row' }).click();
    await page.locator('[role=row][data-state=resolved]').nth(1).waitFor();
    await shoot(page, 'judgments-fixed');
    expect(person.faults).toEqual([]);
  });
});

describe('plaintiffs', () => {
  it('two of one name are said to be one person, and that is taken back', async () => {
    await page.goto('/data/plaintiffs');
    await page.getByRole('button', { name: 'One person' }).click();
    await page.getByText('The two were merged').waitFor();
    await shoot(page, 'plaintiffs-merged');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'One person' }).waitFor();
    expect(person.faults).toEqual([]);
  });
});
