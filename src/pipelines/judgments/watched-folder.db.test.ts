// Files in a watched folder become batches, once each; the sample among them.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import {
  casesOf,
  type JudgmentsBench,
  judgmentsFile,
  openJudgmentsBench,
  plaintiffsOf,
  rejectsOf,
} from '../../../test/support/judgments.ts';
import { silentLog } from '../../platform/log.ts';
import { deliverTo } from '../../roles/watched-folders.ts';
import { collectOnce } from '../../sources/collect.ts';
import { FolderSource } from '../../sources/folder/folder-source.ts';
import { judgmentsIntake } from './http/batch-handlers.ts';

const database = useDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'millrace-watched-'));
const sample = new URL('../../../samples/judgments.csv', import.meta.url);
let bench: JudgmentsBench;

beforeAll(async () => {
  bench = await openJudgmentsBench(database.appUrl);
  await bench.engine.start();
});
afterAll(async () => {
  await bench.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a watched folder', () => {
  it('lands each file once under its vendor, and refuses the same name with other content for good', async () => {
    const tenantId = newTenant();
    const source = new FolderSource({ name: 'simplicity', folder, stillMs: 0 });
    const intake = judgmentsIntake(bench.engine, silentLog);
    const { effects: pool, control } = bench.engine.pools;
    const deps = { store: bench.store, pool, control };
    const collect = () =>
      collectOnce(
        {
          source,
          tenantId,
          store: bench.store,
          maxBytes: 1024 ** 2,
          log: silentLog,
          sniff: intake.sniff,
          deliver: (delivery) => deliverTo(deps, intake, { word: 'acme' }, delivery),
        },
        new AbortController().signal,
      );
    const put = (content: string) => writeFileSync(path.join(folder, 'june.csv'), content);
    put(judgmentsFile('W-1,Ann,Dan,1,2024-01-01,Kings,,,'));
    expect(await collect()).toMatchObject({ accepted: 1 });
    put(judgmentsFile('W-1,Ann,Dan,1,2024-01-01,Kings,,,'));
    expect(await collect()).toMatchObject({ accepted: 1 });
    put(judgmentsFile('W-1,Ann,Dan,2,2024-01-01,Kings,,,'));
    expect(await collect()).toMatchObject({ refused: 1 });
    const { rows } = await database.admin.query('select unique_key, source_id from engine.runs where tenant_id = $1', [
      tenantId,
    ]);
    expect(rows).toEqual([{ unique_key: 'acme-june.csv', source_id: 'simplicity' }]);
    expect(readdirSync(folder).includes('june.csv')).toBe(false);
  });
});

describe('the sample', () => {
  it('is dirty, and every line of it is accounted for', async () => {
    const tenantId = newTenant();
    const run = await bench.ingest(tenantId, readFileSync(sample, 'utf8'));
    expect([run.status, run.error_text]).toEqual(['completed', null]);
    expect(run.receipt).toMatchObject({
      read: 14,
      outcomes: { inserted: 8, superseded: 1, rejected: 5 },
      plaintiffs: 6,
      reviews: 1,
    });
    expect((await rejectsOf(database.admin, run.id)).map(({ code }) => code)).toEqual([
      expect.stringMatching(/^date_/),
      'number_negative',
      'case_number_missing',
      'amount_absurd',
      'case_repeated',
    ]);
    expect(await casesOf(database.admin, tenantId)).toHaveLength(8);
    expect(await plaintiffsOf(database.admin, tenantId)).toHaveLength(6);
  });
});
