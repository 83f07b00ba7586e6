// Verifying and cleaning up: the receipt counted again from file and tables, what it says when a case was lost since, and staging that
// goes in time while everything people need stays.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setClockOffset, useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import { type JudgmentsBench, judgmentsFile, openJudgmentsBench, rejectsOf } from '../../../test/support/judgments.ts';
import { cleanStaging } from '../../engine/services/staging-cleaner.ts';
import { silentLog } from '../../platform/log.ts';
import { judgmentsStaging } from './cleanup.ts';

const database = useDatabase();
let bench: JudgmentsBench;

beforeAll(async () => {
  bench = await openJudgmentsBench(database.appUrl);
  await bench.engine.start();
});
afterAll(() => bench.close());

const row = (number: string, amount = '10', county = 'Kings') =>
  `${number},Ann,Dan,${amount},2024-01-01,${county},ann@example.test,,`;

describe('verify', () => {
  it('agrees with the receipts of a first load, a correction and a repetition, also after later batches', async () => {
    const tenantId = newTenant();
    const loads = [
      await bench.ingest(
        tenantId,
        judgmentsFile(row('V-1'), row('V-1', '10.00'), row('V-1', '11'), row('V-2'), row('V-2', '10', 'Erie'), row('')),
      ),
      await bench.ingest(tenantId, judgmentsFile(row('V-1', '20'), row('V-2'), row('V-3'))),
      await bench.ingest(tenantId, judgmentsFile(row('V-1', '30'), row('V-3', '31'))),
    ];
    expect(loads.map(({ receipt }) => receipt?.outcomes)).toEqual([
      { inserted: 3, superseded: 1, rejected: 2 },
      { inserted: 1, updated: 1, unchanged: 1 },
      { updated: 2 },
    ]);
    for (const { id } of loads) {
      const verified = await bench.engine.verify(tenantId, id);
      expect([id, verified.differences]).toEqual([id, []]);
    }
  });

  it('says what differs when a case has gone', async () => {
    const tenantId = newTenant();
    const run = await bench.ingest(tenantId, judgmentsFile(row('W-1'), row('W-2')));
    await database.admin.query(`delete from judgments where tenant_id = $1 and case_number = 'W-2'`, [tenantId]);
    const { differences } = await bench.engine.verify(tenantId, run.id);
    expect(JSON.stringify(differences)).toContain('lost');
  });
});

describe('the cleanup', () => {
  it('removes the staging of ended batches after seven days, in pieces, and keeps readings, cases and rejects', async () => {
    const tenantId = newTenant();
    const rows = Array.from({ length: 25 }, (_, index) => row(`C-${index}`));
    const run = await bench.ingest(tenantId, judgmentsFile(...rows, row('C-0'), row('C-1'), row('')));
    const staged = async () => {
      const { rows: found } = await database.admin.query<{ left: number }>(
        `select (select count(*) from intake.simplicity_validated_rows where batch_id = $1)
              + (select count(*) from intake.superseded_rows where batch_id = $1) as left`,
        [run.id],
      );
      return found[0]?.left;
    };
    const options = { pool: bench.engine.pools.effects, log: silentLog, rowsPerTransaction: 10 };
    await cleanStaging(judgmentsStaging, options);
    expect(Number(await staged())).toBe(27);
    await setClockOffset(database.admin, '8 days');
    try {
      const { rows: removed } = await cleanStaging(judgmentsStaging, options);
      expect(removed).toBeGreaterThanOrEqual(27);
    } finally {
      await setClockOffset(database.admin, '0');
    }
    expect(Number(await staged())).toBe(0);
    expect(await rejectsOf(database.admin, run.id)).toHaveLength(1);
    expect((await bench.engine.verify(tenantId, run.id)).differences).toEqual([]);
  });

  it('may read nothing of what it removes, and reach nothing else', async () => {
    const asCleanup = (sql: string) =>
      database.admin
        .query(`begin; set local role judgments_cleanup; ${sql}`)
        .finally(() => database.admin.query('rollback'));
    await expect(asCleanup('select case_number from intake.simplicity_validated_rows')).rejects.toThrow(
      'permission denied',
    );
    await expect(asCleanup('select line from intake.superseded_rows')).rejects.toThrow('permission denied');
    await expect(asCleanup('delete from judgments')).rejects.toThrow('permission denied');
  });
});
