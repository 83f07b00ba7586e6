// The questions to the tables notice what is missing.
import { describe, expect, it } from 'vitest';
import { plantCanaries } from '../../../../../test/support/canary-people.ts';
import { useDatabase } from '../../../../../test/support/database.ts';
import { newTenant } from '../../../../../test/support/engine.ts';
import { hear } from '../../../../../test/support/heard.ts';
import { testBatch } from './checks.ts';
import { checkTables } from './table-checks.ts';

const database = useDatabase();
const broken = async () => {
  const checks = await checkTables(database.engine);
  hear(JSON.stringify(checks));
  return checks.filter(({ isHeld }) => !isHeld).map(({ name }) => name);
};

describe('the checks of the golden path', () => {
  it('hold on a migrated database, and say nothing of the people in it', async () => {
    await plantCanaries(database.admin, newTenant());
    expect(await broken()).toEqual([]);
  });

  it('name a unique key, a guard and a protection that are gone', async () => {
    await database.admin.query(`
      alter table judgments drop constraint judgments_case_number_key;
      alter table plaintiffs disable row level security;
      alter table engine.runs disable trigger trg_import_runs_status_guard`);
    expect(await broken()).toEqual(['Unique Constraints', 'Row Security', 'Status Guard']);
  });

  it('use a batch whose id the clean-up may remove', () => {
    const batch = testBatch('1', 2);
    expect(batch.id).toBe('golden_path_test_1');
    expect(batch.form().get('source_batch_id')).toBe(batch.id);
  });
});
