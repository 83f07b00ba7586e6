import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { type PoolClient, withTenant } from '../../platform/database.ts';
import { FieldCatalogue } from './fields.ts';
import { headerFingerprint } from './fingerprint.ts';
import { saveMapping } from './save-mapping.ts';
import { listMappings } from './sql/list-mappings.ts';
import { selectMapping } from './sql/select-mapping.ts';

const database = useDatabase();
const catalogue = new FieldCatalogue([{ name: 'day', title: 'Day', kind: 'date', synonyms: [] }]);
const fingerprint = headerFingerprint(['Sold on', 'Who']);

const as = <T>(tenantId: string, work: (client: PoolClient) => Promise<T>) =>
  withTenant(database.app, { tenantId, role: 'millrace_app' }, work);

const version = (tenantId: string, basedOn: number, name = 'Shop') => ({
  tenantId,
  pipeline: 'ads',
  fingerprint,
  name,
  mapping: { fields: { 'sold on': 'day', who: null } },
  reading: { delimiter: ';' },
  createdBy: null,
  basedOn,
});

describe('saved mappings', () => {
  it('are kept as versions; the latest is found by fingerprint', async () => {
    const tenant = randomUUID();
    expect(await as(tenant, (db) => saveMapping(db, version(tenant, 0), catalogue))).toBe(1);
    expect(await as(tenant, (db) => saveMapping(db, version(tenant, 1, 'Shop, corrected'), catalogue))).toBe(2);
    const latest = await as(tenant, (db) => selectMapping(db, { pipeline: 'ads', fingerprint }));
    expect(latest).toMatchObject({
      version: 2,
      name: 'Shop, corrected',
      reading: { delimiter: ';' },
      mapping: { fields: { who: null } },
    });
    const first = await as(tenant, (db) => selectMapping(db, { pipeline: 'ads', fingerprint, version: 1 }));
    expect(first).toMatchObject({ version: 1, name: 'Shop' });
  });

  it('are listed once each, in their latest version, page by page', async () => {
    const tenant = randomUUID();
    const other = { ...version(tenant, 0, 'Other'), fingerprint: headerFingerprint(['x']) };
    await as(tenant, (db) => saveMapping(db, version(tenant, 0), catalogue));
    await as(tenant, (db) => saveMapping(db, version(tenant, 1), catalogue));
    await as(tenant, (db) => saveMapping(db, other, catalogue));
    const page = await as(tenant, (db) => listMappings(db, { pipeline: 'ads', limit: 1 }));
    const rest = await as(tenant, (db) =>
      listMappings(db, { pipeline: 'ads', limit: 9, after: page[0]?.fingerprint ?? '' }),
    );
    expect([...page, ...rest].map((entry) => [entry.fingerprint, entry.version]).sort()).toEqual(
      [
        [fingerprint, 2],
        [other.fingerprint, 1],
      ].sort(),
    );
  });

  it('refuse to overwrite what somebody else saved in the meantime', async () => {
    const tenant = randomUUID();
    await as(tenant, (db) => saveMapping(db, version(tenant, 0), catalogue));
    await expect(as(tenant, (db) => saveMapping(db, version(tenant, 0), catalogue))).rejects.toMatchObject({
      code: 'mapping_conflict',
    });
  });

  it('let one of two savers through when both start from the same version', async () => {
    const tenant = randomUUID();
    const both = await Promise.allSettled(
      [1, 2].map(() => as(tenant, (db) => saveMapping(db, version(tenant, 0), catalogue))),
    );
    expect(both.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('are checked against the fields before they are stored', async () => {
    const tenant = randomUUID();
    const bad = { ...version(tenant, 0), mapping: { fields: { x: 'nonsense' } } };
    await expect(as(tenant, (db) => saveMapping(db, bad, catalogue))).rejects.toMatchObject({
      code: 'mapping_invalid',
    });
  });
});

describe('tenants', () => {
  it('see only their own mappings, and none without a tenant', async () => {
    const [mine, theirs] = [randomUUID(), randomUUID()];
    await as(mine, (db) => saveMapping(db, version(mine, 0), catalogue));
    expect(await as(theirs, (db) => selectMapping(db, { pipeline: 'ads', fingerprint }))).toBeNull();
    expect(await as(theirs, (db) => listMappings(db, { pipeline: 'ads', limit: 9 }))).toEqual([]);
    const { rows } = await database.app.query('select * from tabular.mappings');
    expect(rows).toEqual([]);
  });

  it('cannot write for another tenant', async () => {
    const [mine, theirs] = [randomUUID(), randomUUID()];
    await expect(as(mine, (db) => saveMapping(db, version(theirs, 0), catalogue))).rejects.toThrow();
  });

  it('can neither change nor remove a version, and the engine sees none', async () => {
    const tenant = randomUUID();
    await as(tenant, (db) => saveMapping(db, version(tenant, 0), catalogue));
    await expect(as(tenant, (db) => db.query(`update tabular.mappings set name = 'x'`))).rejects.toThrow();
    await expect(as(tenant, (db) => db.query('delete from tabular.mappings'))).rejects.toThrow();
    await expect(database.engine.query('select * from tabular.mappings')).rejects.toThrow(/permission denied/);
  });
});
