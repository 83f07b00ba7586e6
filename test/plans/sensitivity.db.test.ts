// The plan tests notice a real fault: statements of the engine are measured in a database that lacks the index each of them goes by. The same
// statements are measured in a whole one as well, so that it is the index that makes the difference.
import { describe, expect, it } from 'vitest';
import { pageRuns } from '../../src/engine/reads/page-runs.ts';
import { readAttempts } from '../../src/engine/reads/read-attempts.ts';
import { readRunByKey } from '../../src/engine/reads/read-run.ts';
import { listSchedules } from '../../src/engine/reads/read-tenant-figures.ts';
import { newest } from '../../src/engine/reads/ways-into-ledger.ts';
import { listOpenQuestions } from '../../src/engine/sql/questions.ts';
import { byRequest as request } from './plan-case.ts';
import { findCliffs, type PlanTest, useMeasured } from './plans.ts';

const page = {
  beforeId: newest,
  ...{ pipelines: null, statuses: null, phases: null, sources: null, since: null, until: null, titlePart: null },
  scan: 100,
  limit: 50,
};

const test: PlanTest = {
  folders: ['src/engine'],
  cases: [
    request((db, w) => pageRuns(db, 'ledger', { ...page, tenantId: w.ours }, [])),
    request((db, w) => readAttempts(db, w.ours, w.run('ads', 'small'), { after: 0, limit: 50 })),
    request((db, w) =>
      readRunByKey(db, { tenantId: w.ours, pipeline: 'ads', uniqueKey: `key ${w.runIndex('ads', 'small')}` }),
    ),
    request((db, w) => listSchedules(db, w.ours, null, 50)),
    request((db, w) => listOpenQuestions(db, w.ours, { after: null, limit: 20 })),
  ],
  seeds: [{ table: 'public.staging_rows', runsOf: 'ads', columns: { entity_type: `'ad'` } }],
};

const without = `
  drop index engine.runs_by_tenant, engine.runs_by_tenant_pipeline, engine.runs_unique_key, engine.schedules_by_tenant,
             engine.questions_open_by_tenant;
  alter table engine.attempts drop constraint attempts_pkey cascade`;

const namesOf = (cliffs: readonly string[]) => [...new Set(cliffs.map((cliff) => cliff.split(' ')[0]))].sort();

describe('in a whole database a statement', () => {
  const measured = useMeasured(test);

  it('reads no more than it should', () => {
    expect(measured().failures).toEqual([]);
    expect(findCliffs(measured().readings, measured().sizes)).toEqual([]);
  });
});

describe('in a database without its index a statement', () => {
  const measured = useMeasured(test, (admin) => admin.query(without));

  it('is reported, with what it reads instead', () => {
    const cliffs = findCliffs(measured().readings, measured().sizes);
    expect(namesOf(cliffs)).toEqual([
      'engine-list-open-questions',
      'reads-attempts',
      'reads-list-schedules',
      'reads-page-runs-ledger',
      'reads-run-by-key',
    ]);
    expect(cliffs.join('\n')).toMatch(/on attempts · \d{4,} rows/);
  });
});
