// Check that the database stores each batch once: keys, guard, row-level security, grants, and no batch left behind.
// Asked by the golden path and by the doctor.
import type { Queryable } from '../../../../platform/database.ts';
import type { Check } from './checks.ts';
import { readTableFacts } from './sql/read-table-facts.ts';

const wanted = [
  'import_runs (pipeline, tenant_id, unique_key)',
  'intake.simplicity_validated_rows (batch_id, case_number, county_key)',
  'judgments (case_number, county_key, tenant_id)',
  'plaintiffs (dedupe_key, tenant_id)',
];

export async function checkTables(db: Queryable): Promise<Check[]> {
  const facts = await readTableFacts(db);
  const missing = wanted.filter((constraint) => !facts.constraints.includes(constraint));
  return [
    { name: 'No Stale Runs', isHeld: facts.stale === 0, detail: `${facts.stale} stale` },
    {
      name: 'Unique Constraints',
      isHeld: missing.length === 0,
      detail: missing.length === 0 ? `${wanted.length} active` : `missing: ${missing.join('; ')}`,
    },
    {
      name: 'Row Security',
      isHeld: facts.unprotected.length === 0,
      detail: facts.unprotected.length === 0 ? 'enabled and forced' : `not on ${facts.unprotected.join(', ')}`,
    },
    {
      name: 'Status Guard',
      isHeld: facts.is_guarded,
      detail: facts.is_guarded ? 'in place' : 'trg_import_runs_status_guard is missing or disabled',
    },
    {
      name: 'Grants',
      isHeld: facts.may_read_runs,
      detail: facts.may_read_runs ? 'in place' : 'millrace_app or judgments_import lacks its rights',
    },
  ];
}
