// What would mislead a person: files forgotten, ticks nobody earned, ends that look alike, actions that cannot help, a server that is away.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { findBarriers } from './axe.ts';
import { type Person, shoot } from './browser.ts';
import { metaRow, metaText } from './dirty-files.ts';
import { type Ask, askAsAdmin, submitSteps, tenantOf, uploadMeta } from './installation.ts';
import { useConsole } from './use-console.ts';

const stage = useConsole();
let person: Person;
let page: Page;
let ask: Ask;

beforeAll(async () => {
  ask = await askAsAdmin(stage.installation);
  person = await stage.enter({ withoutPolicy: true });
  page = person.page;
});

/** Drops files on the element in the middle of the page, as a hand would. */
async function dropAnywhere(files: Readonly<Record<string, string>>): Promise<void> {
  await page.evaluate(
    `(() => {
      const carried = new DataTransfer();
      for (const [name, text] of Object.entries(${JSON.stringify(files)})) carried.items.add(new File([text], name));
      const target = document.querySelector('main h1, main h2') ?? document.body;
      for (const type of ['dragover', 'drop'])
        target.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: carried }));
    })()`,
  );
}

describe('dropped files', () => {
  it('stay in the tray until each has a run or an answer, whatever page they are dropped on and whatever run opens', async () => {
    const unclear = 'Campaign,Cost,Clicks\nA,1.50,2\n';
    const meta = (index: number) => metaText([metaRow(index)]);
    const tray = page.getByRole('region', { name: 'Uploads' });
    await page.goto('/');
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    await page.setInputFiles('main input[type=file]', {
      name: 'june.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(unclear),
    });
    await tray.getByRole('group', { name: 'Kind of june.csv' }).waitFor();
    await page.setInputFiles('main input[type=file]', {
      name: 'meta_a.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(meta(1)),
    });
    // The second file opens its run; the first one waits for its answer beside it.
    await page.waitForURL('**/r/*');
    await tray.getByRole('group', { name: 'Kind of june.csv' }).waitFor();
    await shoot(page, 'tray-asks');

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Operate' }).click();
    await page.getByRole('link', { name: 'Workers' }).click();
    await page.waitForURL('**/operate/workers');
    await dropAnywhere({ 'meta_b.csv': meta(2), 'meta_c.csv': meta(3), 'other.csv': unclear });
    const links = tray.getByRole('link', { name: 'Open its run' });
    await waitFor(async () => (await links.count()) === 2, { what: 'two files with a run' });
    expect(new URL(page.url()).pathname).toBe('/operate/workers');
    await tray.getByText('2 of 4 files stored').waitFor();
    await tray.getByRole('button', { name: 'Leave june.csv out' }).click();
    await shoot(page, 'tray-several');
    expect(await findBarriers(page)).toEqual([]);
    await tray.getByRole('group', { name: 'Kind of other.csv' }).getByRole('button', { name: 'Meta' }).click();
    await waitFor(async () => (await links.count()) === 3, { what: 'the third file with a run' });
    await links.last().click();
    await page.waitForURL('**/r/*');
    await waitFor(async () => (await links.count()) === 2, { what: 'the opened one to have left the tray' });
    await tray.getByRole('button', { name: 'Clear finished files' }).click();
    await tray.waitFor({ state: 'detached' });
    expect(person.faults).toEqual([]);
  });
});

describe('a file whose columns are not known', () => {
  it('leads to the mapping, where one button saves and reads it again', async () => {
    const text = metaText([metaRow(40), metaRow(41)])
      .replace('Day,', 'When it was,')
      .replaceAll('Reporting', 'Something');
    const run = await uploadMeta(stage.installation, 'unmapped.csv', text);
    await page.goto(`/r/${run}`);
    await page.getByText('mapping_incomplete').waitFor();
    await page.getByRole('link', { name: 'Map the columns' }).click();
    const again = page.getByRole('button', { name: 'Save and read again' });
    await page.getByText('No column feeds').waitFor();
    await page.getByLabel('Field fed by When it was').selectOption('metric_date');
    await again.waitFor();
    await shoot(page, 'mapping-again');
    await again.click();
    await page.waitForURL((url) => url.pathname.startsWith('/r/') && !url.pathname.includes(run));
    await page.getByText('✓ adds up').waitFor();
    expect(person.faults).toEqual([]);
  });
});

describe('a run that is done with refused rows', () => {
  it('looks different from done, leads to fixing them, says their causes, and after a replay what became of them', async () => {
    const rows = Array.from({ length: 30 }, (_, index) => metaRow(100 + index));
    const good = await uploadMeta(stage.installation, 'all-good.csv', metaText(rows));
    const refused = [metaRow(200, { spend: 'about nine' }), metaRow(201, { day: 'someday' })];
    const run = await uploadMeta(stage.installation, 'two-refused.csv', metaText([...rows.slice(0, 25), ...refused]));
    await page.goto('/runs');
    await page.locator(`[data-run="${run}"]`).getByText('completed, 2 refused').waitFor();
    await page
      .locator(`[data-run="${good}"]`)
      .getByText(/completed$/)
      .waitFor();

    await page.goto(`/r/${run}`);
    const header = page.locator('header').filter({ has: page.getByRole('heading', { name: 'two-refused.csv' }) });
    await header.getByText('completed, 2 refused').waitFor();
    const causes = page.getByRole('region', { name: 'Why rows were refused' });
    await causes.getByRole('link').first().waitFor();
    expect(await causes.getByRole('link').count()).toBe(2);
    expect(await page.getByRole('button', { name: /Retry refused/ }).count()).toBe(0);
    // Diagram and events are for who asks.
    expect(await page.getByRole('heading', { name: 'State' }).count()).toBe(0);
    await shoot(page, 'refused-landing');
    await page.getByRole('link', { name: 'Details' }).click();
    await page.getByRole('heading', { name: 'State' }).waitFor();
    await shoot(page, 'run-details');

    await header.getByRole('link', { name: 'Fix 2 rows' }).click();
    const cell = page.locator('[role=gridcell][aria-invalid]').filter({ hasText: 'about nine' });
    await cell.dblclick();
    await page.keyboard.type('9.00');
    await page.keyboard.press('Enter');
    const fixed = page.getByRole('gridcell', { name: '9.00' });
    await fixed.waitFor();
    // The new value and the old one, without hovering.
    expect(await fixed.textContent()).toContain('about nine');
    await shoot(page, 'refused-fixed');
    await page.getByRole('button', { name: 'Replay 1 row' }).click();
    await page.getByText('Replayed: 1 inserted').waitFor();
    await page.goto(`/r/${run}`);
    const replays = page.getByRole('list', { name: 'Replays' });
    await replays.getByText('1 refused row was replayed and accepted').waitFor();
    await header.getByRole('link', { name: 'Fix 1 row' }).waitFor();
    await shoot(page, 'refused-replayed');
    expect(await findBarriers(page)).toEqual([]);
    await replays.getByRole('link').click();
    await page.getByText('takes refused rows of').waitFor();
    expect(person.faults).toEqual([]);
  });

  it('shows the new value beside the old one also when the rows came back in a file', async () => {
    const bad = metaRow(300, { spend: 'about ten' });
    const run = await uploadMeta(stage.installation, 'returned.csv', metaText([metaRow(301), ...rowsFrom(310), bad]));
    await page.goto(`/r/${run}/rejects`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByText('Download CSV', { exact: true }).click(),
    ]);
    const text = readFileSync(await download.path(), 'utf8');
    await page.locator('main input[type=file]').setInputFiles({
      name: 'corrected.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(text.replace('about ten', '10.00')),
    });
    await page.locator('[role=row][data-state=resolved]').first().waitFor();
    expect(await page.getByRole('gridcell', { name: '10.00' }).textContent()).toContain('about ten');
    await shoot(page, 'returned-shown');
  });
});

function rowsFrom(first: number): string[] {
  return Array.from({ length: 15 }, (_, index) => metaRow(first + index));
}

describe('sums', () => {
  it('have a tick only where the file’s own total row says the same', async () => {
    const rows = Array.from({ length: 12 }, (_, index) => metaRow(400 + index));
    const total = (spend: string) => `2026-01-01,2026-01-31,Total,,,,,,,${spend},,`;
    const receipt = page.getByRole('region', { name: 'Receipt' });
    const summary = receipt.locator('summary').filter({ hasText: 'spend' });
    const seen: string[] = [];
    for (const [name, lines] of Object.entries({
      none: rows,
      agrees: [...rows, total('150.00')],
      differs: [...rows, total('162.50')],
    })) {
      const run = await uploadMeta(stage.installation, `total-${name}.csv`, metaText(lines), {
        on_doubt: 'proceed',
      });
      await page.goto(`/r/${run}`);
      await summary.waitFor();
      seen.push((await summary.locator('> span').first().textContent())?.replace(/\s+/g, ' ') ?? '');
      await shoot(page, `total-${name}`);
    }
    expect(seen).toEqual([
      'spend 150.00',
      expect.stringMatching(/^spend 150\.00 ✓/),
      expect.stringMatching(/^spend 150\.00 ≠/),
    ]);
  });
});

describe('doubts about a file', () => {
  it('stand first on the page of the run, in words, with the lines to look at', async () => {
    // Far behind the part of the file that is looked at first, so that nothing but the receipt can tell.
    const rows = Array.from({ length: 3_000 }, (_, index) => metaRow(1_000 + index));
    const again = [...metaText([]).trim().split(',').slice(0, -2), 'Link clicks', 'Impressions'].join(',');
    const text = metaText([...rows, again, metaRow(9_000), metaRow(9_001)]);
    const run = await uploadMeta(stage.installation, 'late-table.csv', text, { on_doubt: 'proceed' });
    await page.goto(`/r/${run}`);
    const doubts = page.getByRole('region', { name: 'Doubts' });
    await doubts.getByText('1 doubt about this file').waitFor();
    const told = await doubts.getByRole('listitem').textContent();
    expect(told).toContain('Line 3002 names columns again');
    expect(told).toContain('Look at line 3002');
    await shoot(page, 'doubts');
    const sections = await page
      .locator('main section')
      .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')));
    expect(sections.indexOf('Doubts')).toBeLessThan(sections.indexOf('Receipt'));
  });

  it('and refused rows beside a state hide no name in the list of runs', async () => {
    const bad = Array.from({ length: 12 }, (_, index) => metaRow(index, { spend: 'much' }));
    const good = Array.from({ length: 150 }, (_, index) => metaRow(5_000 + index));
    await uploadMeta(stage.installation, 'refused-beside.csv', metaText([...good, ...bad]));
    await page.goto('/runs');
    const row = page.locator('[data-run]').filter({ hasText: 'refused-beside.csv' });
    await row.waitFor();
    const pill = await row.getByText('completed, 12 refused').boundingBox();
    const name = await row.getByRole('link', { name: 'refused-beside.csv' }).boundingBox();
    expect((pill?.x ?? 0) + (pill?.width ?? 1e9)).toBeLessThanOrEqual(name?.x ?? 0);
  });
});

describe('a file that can be read in two ways', () => {
  it('asks first on the page of its run, and one click on an answer reads it so', async () => {
    const first = metaText(Array.from({ length: 8 }, (_, index) => metaRow(700 + index)));
    const second = [
      'Day,Campaign name,Campaign ID,Amount spent (USD)',
      ...[1, 2, 3].map((day) => `2026-02-0${day},Spring,991,${day}.5`),
    ];
    await page.goto('/');
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    await page.setInputFiles('main input[type=file]', {
      name: 'meta_two.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`${first}\n${second.join('\n')}\n`),
    });
    await page.waitForURL('**/r/*');
    const question = page.getByRole('region', { name: 'Question' });
    await question.getByText('There is a second table').waitFor();
    const sections = await page
      .locator('main section')
      .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')));
    expect(sections.indexOf('Question')).toBe(0);
    await shoot(page, 'question');
    await question.getByRole('button', { name: 'Read the table on line 11 instead' }).click();
    const receipt = page.getByRole('region', { name: 'Receipt' });
    await receipt.getByText('✓ adds up').waitFor();
    expect(await receipt.textContent()).toMatch(/3 read\s*=\s*3 inserted/);
    // The second table has neither impressions nor clicks: unknown, not zero.
    await receipt.getByText('not in the file: impressions, clicks').waitFor();
    expect(await question.count()).toBe(0);
    expect(person.faults).toEqual([]);
  });
});

describe('two people who answer the same question', () => {
  it('who comes second hears that the answer was not taken, also when the question is gone from the page', async () => {
    const first = metaText(Array.from({ length: 8 }, (_, index) => metaRow(740 + index)));
    const second = [
      'Day,Campaign name,Campaign ID,Amount spent (USD)',
      ...[1, 2, 3].map((day) => `2026-03-0${day},May,992,${day}.5`),
    ];
    await page.goto('/');
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    await page.setInputFiles('main input[type=file]', {
      name: 'meta_asked_twice.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`${first}\n${second.join('\n')}\n`),
    });
    await page.waitForURL('**/r/*');
    const question = page.getByRole('region', { name: 'Question' });
    await question.getByText('There is a second table').waitFor();
    // Between the click and the server somebody else answers.
    await page.route('**/v1/questions/*/answer', async (route) => {
      const { pathname } = new URL(route.request().url());
      await ask(pathname, { choice: 'as_decided' });
      await route.continue();
    });
    await question.getByRole('button', { name: 'Refuse the file' }).click();
    await page.getByRole('alert').filter({ hasText: 'is closed: it was answered' }).waitFor();
    await page.getByRole('region', { name: 'Receipt' }).getByText('✓ adds up').waitFor();
    expect(await page.getByRole('alert').filter({ hasText: 'is closed: it was answered' }).count()).toBe(1);
    await shoot(page, 'question-answered-by-another');
    await page.unroute('**/v1/questions/*/answer');
  });
});

describe('what waits for a person', () => {
  it('has a badge; an admin requeues the dead letter, and the badge follows', async () => {
    await submitSteps(stage.installation, await tenantOf(stage.installation), { steps: 2, end: 'deny' });
    await waitFor(async () => (await ask<{ data: unknown[] }>('/v1/dead-letters')).data.length === 1, {
      what: 'the dead letter',
    });
    await page.goto('/runs');
    const frame = page.getByRole('navigation', { name: 'Main' });
    await frame.getByRole('link', { name: /Operate.*1 dead letter/ }).waitFor();
    await shoot(page, 'badge');
    await frame.getByRole('link', { name: /Operate/ }).click();
    // What is dead raises an alert; its badge counts what nobody has resolved, here and on the tab.
    const open = await waitFor(
      async () => (await ask<{ data: unknown[] }>('/v1/alerts?status=open')).data.length || undefined,
      { what: 'an open alert' },
    );
    await frame.getByRole('link', { name: new RegExp(`Operate.*${open} open alert`) }).waitFor();
    await page.getByRole('link', { name: `Alerts ${open} open` }).click();
    await page.getByRole('listitem').filter({ hasText: 'Open the run' }).first().waitFor();
    await shoot(page, 'badge-alerts');
    await page.getByRole('link', { name: 'Dead letters 1 open' }).click();
    await page.getByRole('button', { name: 'Requeue' }).click();
    await page.getByLabel('Ticket or reason').fill('the credential is renewed');
    await page.getByRole('dialog').getByRole('button', { name: 'Requeue' }).click();
    await page.waitForURL('**/r/*');
    // The successor fails in the same way: there is one again, and never two.
    await waitFor(async () => (await ask<{ data: unknown[] }>('/v1/dead-letters')).data.length === 1, {});
    await frame.getByRole('link', { name: /Operate.*1 dead letter/ }).waitFor();
    expect(person.faults).toEqual([]);
  });
});

describe('a server that is away', () => {
  it('is said on the page that is open, and the page comes back by itself, also one opened meanwhile', async () => {
    await page.goto('/runs');
    await page.locator('[data-run]').first().waitFor();
    const banner = page.getByRole('alert').filter({ hasText: 'The server does not answer' });
    await person.context.setOffline(true);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Data' }).click();
    await banner.waitFor();
    await shoot(page, 'server-away');
    await person.context.setOffline(false);
    await banner.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Data' }).waitFor();
    await page.getByRole('link', { name: 'Winter sale' }).first().waitFor();
    await shoot(page, 'server-back');
    expect(await banner.count()).toBe(0);
  });
});
