// Names and cells made to attack the reader: nothing runs, nothing is fetched, nothing turns the text round.
import { describe, expect, it } from 'vitest';
import { shoot, signIn } from './browser.ts';
import { metaRow, writeMeta } from './dirty-files.ts';
import { useConsole } from './use-console.ts';

const attacks = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(2)</script>',
  '{{constructor.constructor("alert(3)")()}}',
  'javascript:alert(4)',
  '=cmd|calc!A1',
  'exe.\u202Efdp',
];
const stage = useConsole();

describe('a hostile file', () => {
  it('stays text on every page it is shown on, under a policy that allows no inline script', async () => {
    const person = await stage.visit();
    const { page } = person;
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (
        new URL(request.url()).origin !== new URL(stage.installation.url).origin &&
        !request.url().startsWith('blob:')
      )
        foreign.push(request.url());
    });
    await signIn(person, stage.installation.admin.email, stage.installation.admin.password);
    const policy = (await page.goto('/'))?.headers()['content-security-policy'] ?? '';
    expect(policy).toMatch(/script-src 'self'(;|$)/);

    const good = Array.from({ length: 80 }, (_, index) =>
      metaRow(index, { campaign: attacks[index % attacks.length] ?? '' }),
    );
    const bad = attacks.map((attack, index) =>
      metaRow(100 + index, { campaign: attack, day: attack.replaceAll(',', ';') }),
    );
    const name = '<img src=x onerror=alert(9)>\u202Evsc.csv';
    await page.setInputFiles('input[type=file]', {
      name,
      mimeType: 'text/csv',
      buffer: await import('node:fs').then(({ readFileSync }) =>
        readFileSync(writeMeta(stage.folder, 'hostile.csv', [...good, ...bad])),
      ),
    });
    await page.waitForURL('**/r/*');
    await page.getByText('✓ adds up').waitFor();
    const run = new URL(page.url()).pathname;
    for (const [index, place] of [
      run,
      `${run}/rejects`,
      `${run}/rows`,
      `${run}/reading`,
      `${run}/mapping`,
      '/runs',
      '/data',
      '/operate/alerts',
      '/operate/audit',
      '/',
    ].entries()) {
      await page.goto(place);
      await page.locator('h1').first().waitFor({ state: 'attached' });
      await page.locator('[role=status][aria-label^=Loading]').first().waitFor({ state: 'detached' });
      await shoot(page, `hostile-${index}`);
      expect(await page.locator('img, main script, iframe').count()).toBe(0);
      expect(await page.locator('main').textContent()).not.toContain('\u202E');
    }
    expect(await page.getByText('<img src=x onerror=alert(9)>').count()).toBeGreaterThan(0);
    expect({ faults: person.faults, foreign }).toEqual({ faults: [], foreign: [] });
  });
});
