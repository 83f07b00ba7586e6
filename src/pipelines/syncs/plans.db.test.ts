// Statements of syncs: what each reads grows no faster than its input. How it is measured: test/plans/plans.ts.
import { byStage, byControl as control, type PlanCase, byRequest as request } from '../../../test/plans/plan-case.ts';
import { testPlans } from '../../../test/plans/plans.ts';
import { idOf, type Seed, type World } from '../../../test/plans/world.ts';
import { uuidv7 } from '../../platform/ids.ts';
import {
  hasLaterSync,
  insertCancellation,
  keepWayToAirbyte,
  listCancelledOf,
  listOpenCancellations,
  listUnnoted,
  readCancellation,
  settleCancellation,
  takeDueCancellations,
} from './sql/cancellations.ts';
import { findConnector, findPlan, listConnectors, readCredential } from './sql/connectors.ts';
import { readEndings } from './sql/read-endings.ts';
import { readSyncFigures } from './sql/read-figures.ts';
import { findJob, findLiveJob, listJobs, listLiveJobs } from './sql/read-jobs.ts';
import { countFailure, disableConnector, markWarned } from './sql/record-failure.ts';
import { countDeadLettersByError, listStuckJobs } from './sql/support-queries.ts';
import { recordAirbyteJob, recordIntent, recordSuccess } from './sql/sync-jobs.ts';
import { deleteConnector, insertConnector, lockConnector, updateConnector } from './sql/write-connector.ts';

/** Half of all jobs are of one connector. */
const connector = idOf('connector_id', 'case when i % 2 = 0 then 0 else i end');

const seeds: Seed[] = [
  { table: 'public.connectors', columns: { workspace_id: `'w'`, external_account_id: `'a'` } },
  { table: 'public.sync_jobs', columns: { job_id: 'run', connector_id: connector, airbyte_job_id: 'i::text' } },
  {
    table: 'public.sync_cancellations',
    columns: {
      job_id: 'run',
      connector_id: connector,
      airbyte_job_id: 'i::text',
      look_at: 'case when i % 20 < 2 then plan.at(i) end',
    },
    where: 'i % 5 = 0 or i % 20 < 2',
  },
];

const busy = (w: World) => w.id('connector_id', 0);
const quiet = (w: World) => w.id('connector_id', 41);
const job = (w: World) => w.run('syncs', 'small');
const open = { readsAll: 'the cancellations of one connector that are under way' };

const worker = (call: PlanCase['call'], more = {}) => byStage('syncs_worker', call, more);
const change = {
  name: 'new',
  externalAccountId: 'a',
  intervalSeconds: null,
  enabled: true,
  errorKinds: {},
  credential: undefined,
};

const cases: PlanCase[] = [
  worker((db, w) =>
    insertCancellation(db, {
      jobId: uuidv7(),
      tenantId: w.ours,
      connectorId: quiet(w),
      afterJobId: '1',
      airbyteJobId: null,
      intentAt: w.now.toISOString(),
    }),
  ),
  byStage('syncs_canceller', (db) => takeDueCancellations(db, 20, [1_000])),
  worker((db, w) => readCancellation(db, w.ours, job(w))),
  worker((db, w) => listOpenCancellations(db, w.ours, { connectorId: quiet(w), connectionId: uuidv7() })),
  worker((db, w) => listOpenCancellations(db, w.ours, { connectorId: busy(w), connectionId: uuidv7() }), open),
  worker((db, w) => listUnnoted(db, w.ours, busy(w))),
  control((db, w) => listCancelledOf(db, [job(w)])),
  worker((db, w) => keepWayToAirbyte(db, w.ours, quiet(w))),
  worker((db, w) =>
    hasLaterSync(db, { tenantId: w.ours, connectorId: busy(w), connectionId: uuidv7(), jobId: job(w) }),
  ),
  worker((db, w) =>
    settleCancellation(db, { tenantId: w.ours, jobId: job(w), airbyteJobId: null, outcome: 'cancelled' }),
  ),
  request((db, w) => findConnector(db, w.ours, quiet(w))),
  request((db, w) => listConnectors(db, w.ours, null, 20)),
  worker((db, w) => readCredential(db, w.ours, quiet(w))),
  request((db, w) => findPlan(db, w.ours)),
  control((db, w) => readEndings(db, [job(w)], [1])),
  control((db, w) => readSyncFigures(db, null, w.id('run_id', w.size - 20), w.id('run_id', w.size - 5)), {
    readsAll: 'every tenant that has runs',
  }),
  control((db, w) => readSyncFigures(db, w.ours, w.id('run_id', w.size - 20), w.id('run_id', w.size - 5)), {
    readsAll: 'the dead letters of one tenant',
  }),
  request((db, w) => findJob(db, w.ours, job(w))),
  request((db, w) => listJobs(db, { tenantId: w.ours, connectorId: null, statuses: null, beforeId: null, limit: 20 })),
  request(
    (db, w) => listJobs(db, { tenantId: w.ours, connectorId: quiet(w), statuses: null, beforeId: null, limit: 20 }),
    { readsAll: 'the syncs of one tenant: which connector one is of stands in its input' },
  ),
  request((db, w) =>
    listJobs(db, { tenantId: w.ours, connectorId: null, statuses: ['dead_letter'], beforeId: null, limit: 20 }),
  ),
  request((db, w) => findLiveJob(db, w.ours, `active ${w.runIndex('syncs', 'active')}`)),
  request((db, w) => listLiveJobs(db, w.ours, [`active ${w.runIndex('syncs', 'active')}`])),
  worker((db, w) => countFailure(db, { tenantId: w.ours, connectorId: quiet(w), code: 'internal', kind: 'transient' })),
  worker((db, w) => markWarned(db, w.ours, quiet(w))),
  worker((db, w) => disableConnector(db, w.ours, quiet(w), 'failing')),
  byStage('syncs_support', (db) => listStuckJobs(db), { readsAll: 'the syncs of all tenants, for a person who asks' }),
  byStage('syncs_support', (db) => countDeadLettersByError(db), {
    readsAll: 'the syncs of all tenants, for a person who asks',
  }),
  worker((db, w) =>
    recordIntent(db, { jobId: uuidv7(), tenantId: w.ours, connectorId: quiet(w), at: w.now.toISOString() }),
  ),
  worker((db, w) =>
    recordAirbyteJob(db, { jobId: job(w), tenantId: w.ours, connectorId: quiet(w), airbyteJobId: '1', adopted: false }),
  ),
  worker((db, w) => recordSuccess(db, { tenantId: w.ours, connectorId: quiet(w), startedAt: w.now.toISOString() })),
  request((db, w) =>
    insertConnector(db, {
      connectorId: uuidv7(),
      tenantId: w.ours,
      name: 'new',
      connectionId: uuidv7(),
      workspaceId: 'w',
      provider: null,
      externalAccountId: 'a',
      intervalSeconds: null,
      enabled: true,
      credential: null,
      credentialKind: 'installation',
      errorKinds: {},
      createdBy: null,
    }),
  ),
  request((db, w) => updateConnector(db, w.ours, quiet(w), change)),
  request((db, w) => lockConnector(db, w.ours, quiet(w))),
  request((db, w) => deleteConnector(db, w.ours, quiet(w))),
];

testPlans({
  folders: ['src/pipelines/syncs'],
  cases,
  seeds,
});
