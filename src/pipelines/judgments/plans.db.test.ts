// Statements of judgments: what each reads grows no faster than its input. How it is measured: test/plans/plans.ts.
import {
  byStage,
  byControl as control,
  byEngine as engine,
  type PlanCase,
  byRequest as request,
} from '../../../test/plans/plan-case.ts';
import { testPlans } from '../../../test/plans/plans.ts';
import type { Seed, World } from '../../../test/plans/world.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { readRowProof, readShownStart } from './cli/golden-path/sql/read-proofs.ts';
import { insertBatchReading, selectBatchReading, selectOverrides, upsertOverrides } from './sql/batch-readings.ts';
import { findBatchOfRun, findNewestRevision, readRevision } from './sql/find-batch.ts';
import { insertSupersededRows } from './sql/insert-superseded-rows.ts';
import { hasStagedRows, listFileRows } from './sql/list-file-rows.ts';
import { type JudgmentFilter, listJudgments, listPlaintiffs } from './sql/list-judgments.ts';
import { readQueueDepths, readReportFacts } from './sql/read-report-facts.ts';
import { recountJudgments } from './sql/recount-judgments.ts';
import { adoptEmails, foundPlaintiffs, linkPhones, proposeNamesakes } from './sql/resolve-plaintiffs.ts';
import {
  acceptReviews,
  findReview,
  listReviews,
  lockCases,
  rejectReviews,
  splitPlaintiff,
  undoReview,
} from './sql/review-plaintiffs.ts';
import { compareRepeated, stageNewRows, stageRows } from './sql/stage-rows.ts';
import { tuneTransaction } from './sql/tune-transaction.ts';
import { upsertJudgments } from './sql/upsert-judgments.ts';

const seeds: Seed[] = [
  {
    table: 'intake.simplicity_validated_rows',
    runsOf: 'judgments',
    columns: {
      row_index: 'i',
      case_number: `'case ' || i`,
      plaintiff_name: `'somebody ' || i`,
      dedupe_key: `case when i % 3 = 0 then 'name:' || i else 'email:' || i end`,
      phone_key: `case when i % 3 = 1 then 'phone:' || i end`,
      name_key: `'name ' || i / 2`,
    },
  },
  { table: 'intake.superseded_rows', runsOf: 'judgments', columns: { row_index: 'i', first_index: 'i' } },
  {
    table: 'engine.row_outcomes',
    runsOf: 'judgments',
    columns: { outcome: `'inserted'`, rows: `format('{[%s,%s)}', i, i + 1)` },
  },
  { table: 'public.judgments', runsOf: 'judgments', columns: { case_number: `'case ' || i`, plaintiff_id: 'i' } },
  {
    table: 'public.plaintiffs',
    runsOf: 'judgments',
    columns: {
      dedupe_key: `'email:' || i`,
      name_key: `'name ' || i / 2`,
      merged_into: 'case when i % 20 = 0 then i - 1 end',
    },
  },
  { table: 'public.plaintiff_keys', runsOf: 'judgments', columns: { dedupe_key: `'phone:' || i`, plaintiff_id: 'i' } },
  {
    table: 'public.plaintiff_reviews',
    runsOf: 'judgments',
    columns: {
      reason: `'same_name'`,
      plaintiff_id: 'i',
      match_id: 'i - 1',
      status: `case when i % 3 = 0 then 'accepted' else 'open' end`,
      run_id: 'run',
    },
  },
];

const small = (w: World) => w.run('judgments', 'small');
const big = (w: World) => w.run('judgments', 'big');
const scope = (w: World) => ({ batchId: big(w), tenantId: w.ours });
/** Of the big batch. */
const range = { from: 41, to: 141 };
const decision = (w: World) => ({ tenantId: w.ours, reviewId: 44, by: 'somebody', all: true });
const filter = (w: World): JudgmentFilter => ({
  tenantId: w.ours,
  afterId: 0,
  caseNumber: null,
  countyKey: null,
  plaintiffId: null,
  runId: null,
  limit: 20,
});
/** A row of a batch, by column, as arrays. */
const row = [
  [900_000],
  [1],
  [1],
  ['a new case'],
  ['a'],
  ['a'],
  ['p'],
  ['d'],
  ['1'],
  ['2024-01-01'],
  ['e'],
  ['1'],
  ['a'],
  ['email:new'],
  [null],
  ['n'],
  [0],
  [true],
];
const ofTenant = { readsAll: 'what the golden path left behind in its own tenant' };

/** As the import does: nested loops are off. */
const load = (call: (...given: Parameters<PlanCase['call']>) => Promise<unknown>) =>
  byStage('judgments_import', (db, w) => tuneTransaction(db).then(() => call(db, w)));

const loading: PlanCase[] = [
  load((db, w) => stageNewRows(db, { batchId: small(w), tenantId: w.ours }, row as never)),
  load((db, w) => stageRows(db, { batchId: small(w), tenantId: w.ours }, row as never)),
  load((db, w) =>
    compareRepeated(db, big(w), [
      {
        row_index: 1,
        case_number: 'case 42',
        county_key: null,
        plaintiff_name: null,
        defendant_name: null,
        judgment_amount: null,
        filing_date: null,
        email: null,
        phone: null,
        address: null,
      },
    ]),
  ),
  load((db, w) =>
    insertSupersededRows(db, { batchId: small(w), tenantId: w.ours }, [{ rowIndex: 900_000, line: 1, firstIndex: 1 }]),
  ),
  load((db, w) => adoptEmails(db, scope(w), range)),
  load((db, w) => foundPlaintiffs(db, scope(w), range, true)),
  load((db, w) => foundPlaintiffs(db, scope(w), range, false)),
  load((db, w) => linkPhones(db, scope(w), range)),
  load((db, w) => proposeNamesakes(db, scope(w), w.size - 20)),
  load((db, w) => upsertJudgments(db, scope(w), range, { sourceFile: 'a.csv', overwrite: 0, clear: 0 })),
  load((db, w) => insertBatchReading(db, { batchId: small(w), tenantId: w.ours, reading: {}, mapping: {} } as never)),
  request((db, w) => selectBatchReading(db, small(w))),
  load((db, w) => selectOverrides(db, small(w))),
  byStage('judgments_import', (db, w) =>
    upsertOverrides(db, { batchId: small(w), tenantId: w.ours, overrides: {} as never }),
  ),
];

const reading: PlanCase[] = [
  request((db, w) => findNewestRevision(db, w.ours, `key ${w.runIndex('judgments', 'small')}`)),
  request((db, w) => findBatchOfRun(db, w.ours, small(w))),
  byStage('judgments_import', (db, w) => readRevision(db, small(w))),
  request((db, w) => listFileRows(db, { tenantId: w.ours, runId: big(w), outcomes: null, afterRow: 41, limit: 20 }), {
    readsAll: 'what was noted of one run, batch by batch',
  }),
  request((db, w) => hasStagedRows(db, w.ours, small(w))),
  request((db, w) => hasStagedRows(db, w.ours, uuidv7())),
  request((db, w) => listJudgments(db, filter(w))),
  request((db, w) => listJudgments(db, { ...filter(w), caseNumber: 'case 42', countyKey: 'a' })),
  request((db, w) => listJudgments(db, { ...filter(w), plaintiffId: 41 })),
  request((db, w) => listJudgments(db, { ...filter(w), runId: small(w) })),
  request((db, w) => listPlaintiffs(db, { tenantId: w.ours, afterId: 0, nameKey: null, limit: 20 })),
  request((db, w) => listPlaintiffs(db, { tenantId: w.ours, afterId: 0, nameKey: 'name 41', limit: 20 })),
  control((db, w) => readReportFacts(db, [{ runId: small(w), attempt: 1 }])),
  control((db, w) => readQueueDepths(db, w.ours), { readsAll: 'counts what waits' }),
  request((db, w) =>
    recountJudgments(
      db,
      { tenantId: w.ours, runId: small(w) },
      { rowIndex: [1, 2], caseNumber: ['case 1', 'case 2'], countyKey: [null, null] },
    ),
  ),
  request((db, w) => listReviews(db, { tenantId: w.ours, afterId: 0, statuses: ['open'], limit: 20 })),
  request((db, w) => findReview(db, w.ours, 44)),
  request((db, w) => acceptReviews(db, decision(w)), { readsAll: 'the open reviews of one plaintiff' }),
  request((db, w) => rejectReviews(db, decision(w)), { readsAll: 'the open reviews of one plaintiff' }),
  request((db, w) => undoReview(db, w.ours, 45)),
  request((db, w) => lockCases(db, w.ours, 44, [44])),
  request((db, w) =>
    splitPlaintiff(db, { tenantId: w.ours, plaintiffId: 44, judgmentIds: [44], key: 'split:1', by: 'somebody' }),
  ),
  engine((db, w) => readShownStart(db, small(w))),
  request((db, w) => readRowProof(db, w.ours, small(w)), ofTenant),
];

testPlans({
  folders: ['src/pipelines/judgments'],
  cases: [...loading, ...reading],
  seeds,
  exempt: {
    'judgments-read-ingest-figures': 'no case yet: the views of the specification refuse made-up states',
    'judgments-read-table-facts': 'no case yet: the views of the specification refuse made-up states',
    'judgments-remove-test-rows': 'removes what the golden path stored, in a tenant of its own',
  },
});
