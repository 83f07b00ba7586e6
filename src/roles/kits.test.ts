// What PIPELINE_MODULES may bring: a kit that would take the place of something else is refused at the start, with what to change.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { entryOf } from '../contract/errors/catalogue.ts';
import { kits } from '../pipelines/all.ts';
import { requireDeclaredRoles } from './check-kit.ts';
import { loadKits } from './kits.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'millrace-kits-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let modules = 0;

/** The path of a module that exports a kit with these fields. */
function moduleOf(fields: string): string {
  modules += 1;
  const file = path.join(folder, `kit-${modules}.mjs`);
  writeFileSync(file, `export const kit = { title: 'Parcels', pipeline: () => ({}), ${fields} };`);
  return file;
}

describe('a kit of PIPELINE_MODULES', () => {
  it('stands behind those that come with Millrace, and its error codes are its own', async () => {
    const error = `{ kind: 'input', status: 422, message: 'Odd.', next: 'Weigh it.' }`;
    const loaded = await loadKits(moduleOf(`name: 'crates', errors: { odd_weight: ${error} }`));
    expect(loaded.map(({ name }) => name)).toEqual([...kits.map(({ name }) => name), 'crates']);
    expect(entryOf('x.crates.odd_weight')).toMatchObject({ status: 422, message: 'Odd.' });
  });

  it.each([
    ['has the name of one that is there', `name: 'ads'`, 'there is a pipeline ads already'],
    ['has a name that no address can hold', `name: 'My parcels'`, 'cannot be the name of a pipeline'],
    ['would answer operations of Millrace', `name: 'parcels', handlers: () => ({})`, 'under /v1/x/parcels/'],
    ['has an error code with signs', `name: 'parcels', errors: { 'odd weight': {} }`, '"odd weight" cannot be'],
    ['tells an event of Millrace', `name: 'parcels', events: { 'run.done': [] }`, "run.done is Millrace's own"],
    ['tells an event of another', `name: 'parcels', events: { 'job.failed': [] }`, "job.failed is another pipeline's"],
    [
      'has an alert rule of another name',
      `name: 'parcels', alerts: { rules: [{ name: 'late', on: { event: 'x.parcels.late' } }] }`,
      'must begin with parcels_',
    ],
    [
      'has an alert rule on what another tells',
      `name: 'parcels', alerts: { rules: [{ name: 'parcels_late', on: { event: 'run.failed' } }] }`,
      'must name an event x.parcels.',
    ],
  ])('that %s is refused', async (_, fields, reason) => {
    const loading = loadKits(moduleOf(fields));
    await expect(loading).rejects.toMatchObject({ code: 'pipeline_module_invalid', kind: 'config' });
    await expect(loading).rejects.toThrow(reason);
  });

  it('is refused when another module has its name', async () => {
    const both = [moduleOf(`name: 'barrels'`), moduleOf(`name: 'barrels'`)].join(',');
    await expect(loadKits(both)).rejects.toThrow('there is a pipeline barrels already');
  });
});

describe('a kit whose parts do not fit together', () => {
  const stages = { pack: { work: async () => ({ on: 'complete' as const }), role: 'parcels_pack' } };
  const partsOf = (name: string, of: typeof stages = stages) =>
    ({ name, stages: of }) as unknown as Parameters<typeof requireDeclaredRoles>[1];
  const kitOf = (more: object) =>
    ({ name: 'parcels', title: 'Parcels', ...more }) as unknown as Parameters<typeof requireDeclaredRoles>[0];

  it.each([
    ['its machine has another name', {}, partsOf('barrels'), 'its machine is called barrels'],
    ['a stage works as a role that it does not declare', {}, partsOf('parcels'), 'the database role parcels_pack'],
    [
      'its staging is cleaned by a role that it does not declare',
      { databaseRoles: ['parcels_pack'], staging: { role: 'parcels_clean' } },
      partsOf('parcels'),
      'the database role parcels_clean',
    ],
    ['a role cannot be one', { databaseRoles: ['Parcels'] }, partsOf('parcels'), '"Parcels" cannot be the name'],
  ])('is refused: %s', (_, more, parts, reason) => {
    expect(() => requireDeclaredRoles(kitOf(more), parts)).toThrow(reason);
  });

  it('is taken when every role is declared', () => {
    expect(() => requireDeclaredRoles(kitOf({ databaseRoles: ['parcels_pack'] }), partsOf('parcels'))).not.toThrow();
  });
});
