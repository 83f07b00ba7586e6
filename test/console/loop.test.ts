// The loop the console is for: drop a file, see its own bad rows explained, fix them, replay them, watch them turn green.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { type Person, shoot, signIn } from './browser.ts';
import { metaRow, writeMeta } from './dirty-files.ts';
import { useConsole } from './use-console.ts';

const stage = useConsole();
let person: Person;
let page: Page;

beforeAll(async () => {
  person = await stage.visit();
  page = person.page;
});

describe('the first minutes', () => {
  it('the sign-in page says where the password was printed, and that password opens the drop zone', async () => {
    await page.goto('/');
    await page.getByText('the line begins with “sign in”').waitFor();
    await shoot(page, 'loop-1-sign-in');
    await signIn(person, stage.installation.admin.email, stage.installation.admin.password);
    await page.getByText('Drop a CSV, JSON, XLSX, PDF, DOCX or HTML').waitFor();
    await page.getByText('9 to go').waitFor();
    await shoot(page, 'loop-2-empty');
    expect(await page.getByRole('listitem').filter({ hasText: 'done' }).count()).toBe(0);
  });

  it('a dropped file becomes a run at once, whose receipt adds up and names every refused row', async () => {
    const rows = Array.from({ length: 60 }, (_, index) => {
      if (index % 20 === 10) return metaRow(index, { spend: 'about 12.50' });
      return metaRow(index, index === 41 ? { day: 'someday' } : {});
    });
    await page.setInputFiles('input[type=file]', writeMeta(stage.folder, 'winter.csv', rows));
    await page.waitForURL('**/r/*');
    await page.getByText('✓ adds up').waitFor();
    await shoot(page, 'loop-3-run');
    const receipt = await page.getByRole('region', { name: 'Receipt' }).textContent();
    expect(receipt?.replace(/\s+/g, '')).toContain('60read=56inserted+4rejected');
  });

  it('a suggested fix is shown before it is applied, and applies to the whole cluster', async () => {
    await page.getByRole('link', { name: /^Rejects \d/ }).click();
    await page.getByRole('button', { name: 'Apply to all 3' }).click();
    await page.getByText('3 become valid').waitFor();
    await shoot(page, 'loop-4-fix');
    await page.getByRole('button', { name: 'Correct 3 rows' }).click();
    await page.getByRole('button', { name: 'Replay 3 rows' }).waitFor();
    expect(await page.locator('[role=row][data-state=ready]').count()).toBe(3);
  });

  it('a cell edited in place is validated at once, first as wrong, then as right', async () => {
    await page.locator('[role=gridcell][aria-invalid]').first().dblclick();
    await page.keyboard.type('not a day either');
    await page.keyboard.press('Enter');
    await page.locator('[role=row][data-state=faulty]').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('2026-01-14');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Replay 4 rows' }).waitFor();
    await shoot(page, 'loop-5-edited');
    expect(await page.locator('[role=row][data-state=ready]').count()).toBe(4);
  });

  it('the replayed rows turn green, and the checklist has ticked itself', async () => {
    await page.getByRole('button', { name: 'Replay 4 rows' }).click();
    await page.getByText(/^Replayed: /).waitFor();
    await waitFor(async () => (await page.locator('[role=row][data-state=resolved]').count()) === 4, {
      what: 'four green rows',
    });
    await shoot(page, 'loop-6-green');
    await page.goto('/');
    await page.getByText('5 to go').waitFor();
    await shoot(page, 'loop-7-checklist');
    expect(person.faults).toEqual([]);
  });

  it('a stored number shows its provenance: line, file, mapping, run, person', async () => {
    await page.goto('/data');
    await page.getByRole('link', { name: 'Winter sale' }).click();
    await page.getByTitle('Where does this number come from?').first().click();
    await page.getByText('the line it was read from').waitFor();
    await shoot(page, 'loop-8-provenance');
    expect(await page.getByRole('dialog').textContent()).toContain('winter.csv');
  });
});
