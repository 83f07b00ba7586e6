// The generated pages are the ones in the repository, and say what they should.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/contract/errors/catalogue.ts';
import { machine } from '../../src/contract/states/machine.ts';
import { configurationPage } from './configuration-page.ts';
import { errorsPage } from './errors-page.ts';
import { statesPage } from './states-page.ts';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

describe('generated pages', () => {
  it.each([
    ['docs/errors.md', errorsPage],
    ['docs/configuration.md', configurationPage],
    ['docs/states.md', statesPage],
  ])('%s is up to date (else run "npm run generate")', (name, page) => {
    expect(read(name)).toBe(page());
  });

  it('name every error code once', () => {
    const page = errorsPage();
    for (const code of Object.keys(catalogue)) expect(page.split(`\n| \`${code}\` | \``)).toHaveLength(2);
  });

  it('draw a machine with its start, its arrows and its ends', () => {
    const demo = machine('demo', {
      pending: { phase: 'waiting', stage: 'work', on: { claim: 'busy', fail: 'failed' } },
      busy: { phase: 'active', stage: 'work', on: { complete: 'done', release: 'pending', fail: 'failed' } },
      done: { phase: 'done' },
      failed: { phase: 'failed' },
    });
    const page = statesPage([demo]);
    expect(page).toContain('[*] --> pending');
    expect(page).toContain('busy --> pending : release');
    expect(page).toContain('done --> [*]');
    expect(page).toContain(
      '| `busy` | `active` | `work` | `complete` → `done`, `release` → `pending`, `fail` → `failed` |',
    );
  });
});
