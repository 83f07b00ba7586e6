// The shortest way in: first start, one click on a sample, its rejects, a fix, a replay, done.
import { describe, expect, it } from 'vitest';
import { shoot } from './browser.ts';
import { useConsole } from './use-console.ts';

const stage = useConsole();

describe('a sample', () => {
  it('runs with one click; the fix that its largest cause suggests brings the rows in', async () => {
    const person = await stage.enter();
    const { page } = person;
    await shoot(page, 'sample-1-tiles');
    await page.locator('section[aria-labelledby=samples-title] button').first().click();
    await page.waitForURL('**/r/*');
    await page.getByText('✓ adds up').waitFor();
    await shoot(page, 'sample-2-run');
    await page.getByRole('link', { name: /^Rejects \d/ }).click();
    await page.getByText('looks like a decimal comma').first().waitFor();
    await page.getByRole('button', { name: 'Apply to all 3' }).click();
    await page.getByRole('button', { name: 'Correct 3 rows' }).click();
    await page.getByRole('button', { name: /^Replay \d/ }).click();
    await page.getByText(/^Replayed: /).waitFor();
    await page.locator('[role=row][data-state=resolved]').first().waitFor();
    await shoot(page, 'sample-3-green');
    expect(person.faults).toEqual([]);
  });
});
