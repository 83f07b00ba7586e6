// Statements of items: what each reads grows no faster than its input. How it is measured: test/plans/plans.ts.
import { byStage, byControl as control, type PlanCase, byRequest as request } from '../../../test/plans/plan-case.ts';
import { testPlans } from '../../../test/plans/plans.ts';
import { idOf, type Seed, type World } from '../../../test/plans/world.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { FIGURES_ROLE } from './figures.ts';
import { backfillItems, listUnfilledTenants } from './sql/backfill-items.ts';
import {
  countGrams,
  deleteCatalog,
  deleteCatalogRows,
  findCatalog,
  findNewestCatalog,
  finishCatalog,
  insertCatalog,
  insertCatalogGrams,
  insertCatalogRows,
  listCatalogs,
  lockCatalogName,
  readCatalog,
  rowsByGtin,
  rowsByNumber,
  rowsBySku,
  rowsWithGrams,
} from './sql/catalogs.ts';
import {
  correctItem,
  deleteItems,
  deleteJob,
  markDeleted,
  reprocessByIds,
  reprocessByStatus,
} from './sql/change-items.ts';
import { claimDue, claimExpired, giveBack, renewLocks } from './sql/claim-items.ts';
import {
  advanceJob,
  breakUpSlice,
  claimRows,
  claimSlice,
  giveBackSlice,
  lookBeforeClaim,
  readSlice,
  renewSlice,
} from './sql/claim-slices.ts';
import { listExpiredJobs, listOpenJobs, listUncounted, markExpired } from './sql/cleanup.ts';
import { expireOwnLocks } from './sql/expire-locks.ts';
import { insertExport, pageForExport, selectExport } from './sql/exports.ts';
import { findTwin } from './sql/images.ts';
import { insertItems, listFingerprints } from './sql/insert-items.ts';
import {
  countItems,
  countProcessing,
  findUserId,
  findUserUuid,
  finishIngest,
  holdClaims,
  insertJob,
  keepMapping,
  keepOverrides,
  lockJob,
  readPause,
  readWaiting,
  selectIngest,
  selectJob,
  setLatestRun,
  setPause,
  storeColumns,
  storeCounts,
  storeIngest,
  storeReading,
} from './sql/jobs.ts';
import { listJobsOfTenant, listJobsOfUser } from './sql/list-jobs.ts';
import { countPending, listPendingOfAll, listPendingOfJob, listPendingOfUser } from './sql/list-pending.ts';
import { readAllOpenItems, readDay, readOpenItems } from './sql/read-figures.ts';
import {
  listAttempts,
  listItemsByIds,
  listItemsInOrder,
  listItemsOfStatuses,
  listRequests,
  readMoment,
  selectItem,
} from './sql/read-items.ts';
import { recountFates } from './sql/recount-fates.ts';
import { insertRequests, writeResults } from './sql/write-results.ts';
import { writeSlice } from './sql/write-slice.ts';

/** A job is known by its first run. */
const job = { job_id: 'run' };
const status = `(array['PENDING', 'PENDING', 'PROCESSING', 'DONE', 'DONE', 'DONE', 'ERROR', 'NOT_FOUND'])[(i / 2) % 8 + 1]`;
const isLocked = '(i / 2) % 8 = 2';
/** Half of everything is of one catalogue. */
const catalog = { catalog_id: idOf('catalog_id', 'case when i % 2 = 0 then 0 else i end') };

const seeds: Seed[] = [
  {
    table: 'public.item_jobs',
    columns: {
      ...job,
      latest_run_id: 'run',
      user_id: 'i % 10',
      job_type: `'csv'`,
      created_at: 'plan.at(i)',
      deleted_at: 'case when i % 50 = 1 then plan.at(i) end',
    },
  },
  {
    table: 'public.job_items',
    runsOf: 'items',
    columns: {
      ...job,
      row_index: 'i',
      user_id: 'i % 10',
      job_type: `'csv'`,
      status,
      input_json: `jsonb_build_object('title', 'a thing ' || i)`,
      fingerprint: 'i',
      locked_by: `case when ${isLocked} then 'worker' end`,
      locked_at: `case when ${isLocked} then plan.at(i) end`,
      lock_expires_at: `case when ${isLocked} then plan.at(i) end`,
      next_attempt_at: `case when (i / 2) % 8 = 1 then plan.at(i) end`,
      updated_at: 'plan.at(i)',
    },
  },
  {
    table: 'public.item_attempts',
    runsOf: 'items',
    columns: { ...job, item_id: 'i', claim: '1', outcome: `'FOUND'`, is_final: 'true', ended_at: 'plan.at(i)' },
  },
  {
    table: 'public.item_slice_attempts',
    runsOf: 'items',
    columns: { ...job, from_row: 'i', to_row: 'i + 1', item_ids: 'array[i::bigint]', request_ms: 'array[1]' },
  },
  {
    // A job has as many slices as workers are at it.
    table: 'public.item_slices',
    columns: { ...job, from_row: '0', to_row: '1', locked_by: `'worker'`, lock_expires_at: 'plan.at(i)' },
  },
  {
    // A piece for each row: more than there ever are.
    table: 'public.item_pieces',
    runsOf: 'items',
    columns: { ...job, from_row: 'i', to_row: 'i + 1', stored_at: 'plan.at(i)' },
  },
  { table: 'public.search_events', runsOf: 'items', columns: { ...job, item_id: 'i' } },
  {
    table: 'public.item_images',
    runsOf: 'items',
    columns: { ...job, item_id: 'i', row_index: 'i', hash: 'i::bigint::bit(64)' },
  },
  { table: 'public.item_exports', runsOf: 'items', columns: { ...job, format: `'csv'` } },
  { table: 'public.item_catalogs', columns: { name: `'catalogue ' || i`, version: '1', created_at: 'plan.at(i)' } },
  {
    table: 'public.item_catalog_rows',
    columns: { ...catalog, row_no: 'i', sku_key: `'sku ' || i`, gtin: `'gtin ' || i` },
  },
  { table: 'public.item_catalog_grams', columns: { ...catalog, gram: `'gram ' || i`, row_nos: `array[i]` } },
];

const small = (w: World) => w.run('items', 'small');
const big = (w: World) => w.run('items', 'big');
const bigCatalog = (w: World) => w.id('catalog_id', 0);
const quiet = (w: World) => w.id('catalog_id', 41);
const claim = (w: World) => ({ jobId: big(w), worker: 'worker', lockMs: 1_000, limit: 20 });
const target = (w: World) => ({ jobId: small(w), tenantId: w.ours, runId: small(w), worker: 'worker', userId: null });
const future = '2100-01-01T00:00:00Z';
const grid = (w: World) => ({
  jobId: big(w),
  afterRow: 41,
  text: null,
  column: null,
  since: null,
  limit: 20,
});
const pending = (w: World) => ({
  tenantId: w.ours,
  userId: null,
  statuses: ['PENDING', 'PROCESSING'],
  jobType: null,
  jobId: null,
  from: null,
  to: null,
  afterTime: null,
  afterId: '0',
  asOf: future,
  limit: 20,
});
const jobsPage = (w: World) => ({
  tenantId: w.ours,
  beforeTime: null,
  beforeId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  limit: 20,
});
const result = {
  id: '4',
  row: 4,
  claim: 0,
  attempt: 1,
  status: 'DONE',
  outcome: 'FOUND',
  result: {},
  strategy: 's',
  code: null,
  detail: null,
  answer: null,
  delay_ms: null,
  errors: 0,
  not_founds: 0,
  refusals: 0,
  ms: 1,
} as const;
const counts = { total: 1, pending: 0, processing: 0, done: 1, not_found: 0, error: 0, skipped: 0 };
const ofJob = { readsAll: 'counts the items of one job' };

const worker = (call: PlanCase['call'], more = {}) => byStage('items_worker', call, more);
const cleanup = (call: PlanCase['call'], more = {}) => byStage('items_cleanup', call, more);

const storing: PlanCase[] = [
  control((db) => listUnfilledTenants(db)),
  control((db, w) => backfillItems(db, w.ours, 50)),
  worker((db, w) =>
    insertJob(db, {
      jobId: uuidv7(),
      tenantId: w.ours,
      userId: null,
      ip: null,
      fileId: uuidv7(),
      fileName: 'a.csv',
      jobType: 'csv',
      processor: 'catalog',
      processorVersion: 1,
      options: {},
      outputColumns: [],
    }),
  ),
  request((db, w) => findUserId(db, w.ours, w.id('user_id', 41))),
  request((db, w) => findUserUuid(db, w.ours, 41)),
  worker((db, w) => storeColumns(db, small(w), ['title'])),
  worker((db, w) => lockJob(db, small(w))),
  worker((db, w) => listFingerprints(db, big(w), 41, 20)),
  worker((db, w) => countProcessing(db, small(w))),
  worker((db, w) => countProcessing(db, big(w)), { readsAll: 'counts what is at work in one job' }),
  worker((db, w) => selectIngest(db, small(w))),
  worker((db, w) => setLatestRun(db, small(w), uuidv7())),
  worker((db, w) => storeReading(db, small(w), {} as never, ['title'])),
  worker((db, w) => storeIngest(db, small(w), {} as never, { total: 1, errors: 0, skipped: 0 })),
  worker((db, w) => finishIngest(db, small(w), {})),
  worker((db, w) =>
    insertItems(
      db,
      { jobId: small(w), tenantId: w.ours, runId: small(w), userId: null, jobType: 'csv' },
      {
        at: 1,
        rows: [
          { i: 900_000, l: 1, c: '{}', n: null, f: 7 },
          { i: 900_001, l: 2, c: '{}', n: null, f: 7, t: 4 },
        ],
      },
    ),
  ),
  worker((db, w) => advanceJob(db, small(w), 20)),
  worker((db, w) => claimRows(db, claim(w), { from_row: 41, to_row: 61 })),
  worker((db, w) => lookBeforeClaim(db, big(w))),
  worker((db, w) => claimSlice(db, { ...claim(w), jobId: w.run('items', 'ready') }, w.ours)),
  worker((db, w) => readSlice(db, big(w), { from_row: 41, to_row: 61 })),
  worker((db, w) => breakUpSlice(db, big(w), w.ours, big(w))),
  worker((db, w) => renewSlice(db, claim(w), 0)),
  worker((db, w) => giveBackSlice(db, big(w), 'worker', 0)),
  request((db, w) => holdClaims(db, small(w))),
  worker((db, w) => claimDue(db, claim(w))),
  worker((db, w) => claimExpired(db, claim(w), w.ours, big(w))),
  worker((db, w) => renewLocks(db, claim(w), ['44', '52'])),
  worker((db, w) => giveBack(db, big(w), 'worker', ['44', '52'])),
  worker((db, w) => expireOwnLocks(db, small(w), 'work', 'other')),
  worker((db, w) => writeResults(db, target(w), [result])),
  worker((db, w) => writeSlice(db, target(w), { fromRow: 0, isLast: false }, [result])),
  worker((db, w) =>
    writeSlice(
      db,
      target(w),
      { fromRow: 0, isLast: true },
      Array.from({ length: 16 }, (_, at) => ({ ...result, claim: 1, id: String(4 + 8 * at), row: 900_000 + at })),
    ),
  ),
  worker((db, w) => insertRequests(db, target(w), [{ item: '4', strategy: 's', provider: 'p', ms: 1, outcome: 'ok' }])),
  worker((db, w) => readPause(db, small(w))),
  request((db, w) => setPause(db, small(w), 'somebody')),
  request((db, w) => keepOverrides(db, small(w), {})),
  request((db, w) => keepMapping(db, small(w), {} as never)),
  worker((db, w) => countItems(db, small(w))),
  worker((db, w) => countItems(db, big(w)), ofJob),
  cleanup((db, w) => storeCounts(db, small(w), counts)),
  worker((db, w) => readWaiting(db, big(w))),
  worker((db, w) => recountFates(db, small(w), small(w))),
  worker((db, w) => recountFates(db, big(w), big(w)), ofJob),
];

const reading: PlanCase[] = [
  request((db, w) => selectJob(db, w.ours, small(w))),
  request((db, w) => listJobsOfTenant(db, jobsPage(w))),
  request((db, w) => listJobsOfUser(db, { ...jobsPage(w), userId: 4 })),
  request((db, w) => listItemsInOrder(db, grid(w))),
  request((db, w) => listItemsByIds(db, big(w), ['44', '46', '48'])),
  // One that no item has: whoever looks for it in the order of the file reads the job to its end.
  ...[['DONE'], ['SKIPPED'], ['ERROR', 'SKIPPED'], ['PENDING'], ['DONE', 'PENDING']].map((statuses) =>
    request((db, w) => listItemsOfStatuses(db, { ...grid(w), statuses })),
  ),
  // As many as there are at work: few, in the product.
  request((db, w) => listItemsOfStatuses(db, { ...grid(w), jobId: small(w), statuses: ['PROCESSING'] })),
  request((db, w) =>
    listPendingOfJob(db, {
      jobId: big(w),
      statuses: ['PENDING'],
      afterTime: null,
      afterId: '0',
      asOf: future,
      limit: 20,
    }),
  ),
  // A late page: what is on the pages before it is not read again.
  request((db, w) =>
    listPendingOfJob(db, {
      jobId: big(w),
      statuses: ['PENDING', 'PROCESSING'],
      afterTime: future,
      afterId: '0',
      asOf: future,
      limit: 20,
    }),
  ),
  request((db, w) => listJobsOfTenant(db, { ...jobsPage(w), beforeTime: '2000-01-01' })),
  request((db, w) => listPendingOfUser(db, { ...pending(w), userId: 4, afterTime: future })),
  request((db, w) => listPendingOfAll(db, pending(w))),
  request((db, w) => listPendingOfUser(db, { ...pending(w), userId: 4 })),
  request((db, w) => countPending(db, w.ours, null), { readsAll: 'counts what is pending' }),
  request((db) => readMoment(db)),
  request((db, w) => readOpenItems(db, w.ours), { readsAll: 'the open jobs of one tenant' }),
  request((db) => readAllOpenItems(db), { role: FIGURES_ROLE, readsAll: 'all open jobs' }),
  request((db, w) => readDay(db, w.ours), { readsAll: 'the jobs of one day' }),
  worker((db, w) =>
    findTwin(db, {
      tenantId: w.ours,
      jobId: small(w),
      itemId: '900000',
      rowIndex: 1,
      hash: 'ff00ff00ff00ff00',
      maxDistance: 4,
    }),
  ),
  request((db, w) => selectItem(db, big(w), '44')),
  request((db, w) => listAttempts(db, big(w), '44')),
  request((db, w) => listRequests(db, big(w), '44')),
  request((db, w) => pageForExport(db, big(w), 41, 20)),
  request((db, w) =>
    insertExport(db, {
      exportId: uuidv7(),
      tenantId: w.ours,
      jobId: small(w),
      format: 'csv',
      asOf: future,
      blobId: uuidv7(),
      bytes: 1,
      rows: 1,
      by: 'somebody',
    }),
  ),
  request((db, w) => selectExport(db, small(w), w.id('export_id', 1))),
  request((db, w) => reprocessByStatus(db, big(w), ['ERROR'], 41, 20)),
  request((db, w) => reprocessByStatus(db, big(w), ['ERROR', 'SKIPPED'], 41, 20)),
  request((db, w) => reprocessByIds(db, big(w), ['46', '48'], null)),
  request((db, w) => correctItem(db, big(w), '48', { title: 'right' })),
  request((db, w) => markDeleted(db, small(w))),
];

const cleaning: PlanCase[] = [
  cleanup((db, w) => deleteItems(db, big(w), 20)),
  cleanup((db, w) => deleteJob(db, w.id('run_id', 43))),
  control((db) => listExpiredJobs(db, 1, 20)),
  cleanup((db, w) => markExpired(db, small(w))),
  cleanup((db) => listUncounted(db, 20)),
  control((db) => listOpenJobs(db), { readsAll: 'the open jobs of all tenants' }),
];

const catalogs: PlanCase[] = [
  worker((db, w) =>
    insertCatalog(db, { catalogId: uuidv7(), tenantId: w.ours, name: 'new', fileName: 'a.csv', columns: [], by: null }),
  ),
  worker((db, w) =>
    insertCatalogRows(db, w.ours, quiet(w), [{ row_no: 900_000, sku_key: 's', gtin: null, name_key: '', data: {} }]),
  ),
  worker((db, w) => insertCatalogGrams(db, w.ours, bigCatalog(w), [{ gram: 'gram 42', row_nos: [1] }])),
  worker((db, w) => finishCatalog(db, quiet(w), { rows: 1, skipped: 0 })),
  request((db, w) => findCatalog(db, w.ours, 'catalogue 41')),
  request((db, w) => lockCatalogName(db, w.ours, 'catalogue 41')),
  request((db, w) => findNewestCatalog(db, w.ours), { readsAll: 'the catalogues of one tenant' }),
  request((db, w) => readCatalog(db, quiet(w))),
  request((db, w) => listCatalogs(db, w.ours), { readsAll: 'the catalogues of one tenant' }),
  request((db, w) => deleteCatalog(db, w.ours, quiet(w))),
  request((db, w) => deleteCatalogRows(db, quiet(w))),
  worker((db, w) => rowsBySku(db, bigCatalog(w), ['sku 42', 'sku 44'])),
  worker((db, w) => rowsByGtin(db, bigCatalog(w), ['gtin 42', 'gtin 44'])),
  worker((db, w) => rowsByNumber(db, bigCatalog(w), [42, 44])),
  worker((db, w) => countGrams(db, bigCatalog(w), ['gram 42', 'gram 44'])),
  worker((db, w) => rowsWithGrams(db, bigCatalog(w), ['gram 42', 'gram 44'])),
];

testPlans({
  folders: ['src/pipelines/items'],
  cases: [...storing, ...reading, ...cleaning, ...catalogs],
  seeds,
});
