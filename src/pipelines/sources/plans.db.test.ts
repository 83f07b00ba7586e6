// Statements of sources: what each reads grows no faster than its input. How it is measured: test/plans/plans.ts.
import { byStage, type PlanCase, byRequest as request } from '../../../test/plans/plan-case.ts';
import { testPlans } from '../../../test/plans/plans.ts';
import { idOf, type Seed, type World } from '../../../test/plans/world.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { deleteLines, listOldLines, pageFates, pageLines, readShut, writeLines } from './sql/lines.ts';
import {
  countByStatus,
  endObjects,
  judgePageAgain,
  markPage,
  pageMissing,
  pageObjects,
  readKnown,
  unmarkMissing,
  writeSeen,
} from './sql/objects.ts';
import {
  countSources,
  deleteSource,
  findSource,
  listSources,
  lockSource,
  noteSync,
  writeSource,
} from './sql/sources.ts';
import { forgetSyncs, listNewestSyncs, noteCounts, recordSync } from './sql/syncs.ts';
import { listAnnounced, listTroubled, noteQueue, takeStale } from './sql/watch-sources.ts';

/** Half of everything is of one source. */
const source = { source_id: idOf('source_id', 'case when i % 2 = 0 then 0 else i end') };

const seeds: Seed[] = [
  {
    table: 'public.ingestion_sources',
    columns: {
      tenant_id: `case when i < 20 then ${idOf('tenant_id', '0')} else ${idOf('tenant_id', 'i')} end`,
      kind: `'folder'`,
      cron: `'* * * * *'`,
      queue_url: `case when i % 50 = 0 then 'q' end`,
      created_at: 'plan.at(i)',
      stale_told_at: 'case when i % 20 > 0 then plan.at(i) end',
    },
  },
  {
    table: 'public.source_objects',
    columns: {
      ...source,
      key: `'key ' || lpad(i::text, 8, '0')`,
      status: `case when i % 20 = 0 then 'failed' when i % 20 = 2 then 'refused' else 'live' end`,
      missing_in: `case when i % 40 = 0 then ${idOf('sync_id', '0')} end`,
    },
  },
  { table: 'public.source_syncs', columns: source },
  {
    table: 'public.source_sync_lines',
    runsOf: 'sources',
    columns: { sync_id: 'run', key: `'key ' || lpad(i::text, 8, '0')`, fate: `'new'`, created_at: 'plan.at(i)' },
  },
];

const busy = (w: World) => w.id('source_id', 0);
const quiet = (w: World) => w.id('source_id', 1);
const sync = (w: World) => w.id('sync_id', 0);
const small = (w: World) => w.run('sources', 'small');
const big = (w: World) => w.run('sources', 'big');
const keys = ['key 00000042', 'key 00000044'];
const seen = (key: string) => ({
  key,
  status: 'live' as const,
  bytes: 1,
  modifiedAt: null,
  mark: 'm',
  sha256: null,
  sourceUri: 'file:a',
  runId: null,
  errorCode: null,
  errorText: null,
  versionId: null,
});
const draft = (w: World) => ({
  sourceId: uuidv7(),
  tenantId: w.ours,
  name: 'new',
  kind: 'folder',
  place: {},
  pipeline: 'ads',
  fields: {},
  titlePattern: null,
  prefix: '',
  include: [],
  exclude: [],
  maxBytes: null,
  afterTaken: 'leave',
  settleSeconds: 0,
  cron: null,
  timeZone: 'UTC',
  jitterSeconds: 0,
  staleAfterSeconds: 60,
  credential: null,
  credentialKind: 'none',
  queueUrl: null,
  isPaused: false,
  createdBy: null,
});
const worker = (call: PlanCase['call'], more = {}) => byStage('sources_worker', call, more);
const services = (call: PlanCase['call'], more = {}) => byStage('sources_services', call, more);

const cases: PlanCase[] = [
  worker((db, w) =>
    writeLines(db, w.ours, quiet(w), small(w), [{ key: 'new', fate: 'new', runId: null, errorCode: null }]),
  ),
  request((db, w) => pageLines(db, w.ours, big(w), 'key 00000041', 20)),
  worker((db, w) => pageFates(db, w.ours, small(w), { key: '', fate: '' }, 20)),
  worker((db, w) => pageFates(db, w.ours, big(w), { key: 'key 00000041', fate: 'new' }, 20)),
  request((db, w) => readShut(db, w.ours, big(w), ['a/', 'key 00000042'])),
  services((db) => listOldLines(db, 1, 5)),
  services((db, w) => deleteLines(db, big(w), 20)),
  worker((db, w) => readKnown(db, w.ours, busy(w), keys)),
  worker((db, w) =>
    markPage(
      db,
      w.ours,
      busy(w),
      { after: 'key 00000041', upTo: 'key 00000091', keys, syncId: uuidv7(), prefix: 'key' },
      50,
    ),
  ),
  worker((db, w) =>
    markPage(db, w.ours, busy(w), { after: '', upTo: null, keys, syncId: uuidv7(), prefix: 'key' }, 50),
  ),
  worker((db, w) => writeSeen(db, w.ours, busy(w), keys.map(seen))),
  worker((db, w) => pageMissing(db, w.ours, busy(w), { syncId: sync(w), after: '', limit: 5 })),
  worker((db, w) => endObjects(db, w.ours, busy(w), keys, 'deleted')),
  request((db, w) => judgePageAgain(db, w.ours, busy(w), 20)),
  worker((db, w) => unmarkMissing(db, w.ours, busy(w), keys)),
  request((db, w) => pageObjects(db, w.ours, busy(w), { after: 'key 00000041', status: null, limit: 20 })),
  request((db, w) => pageObjects(db, w.ours, busy(w), { after: null, status: 'failed', limit: 20 })),
  worker((db, w) => pageObjects(db, w.ours, busy(w), { after: null, status: 'failed', limit: 20 })),
  request((db, w) => countByStatus(db, w.ours, [busy(w), quiet(w)])),
  request((db, w) => findSource(db, w.ours, quiet(w))),
  request((db, w) => lockSource(db, w.ours, quiet(w), 'change')),
  worker((db, w) => lockSource(db, w.ours, quiet(w), 'sync')),
  request((db, w) => listSources(db, w.ours, null, 20)),
  request((db, w) => countSources(db, w.ours)),
  request((db, w) => writeSource(db, draft(w))),
  request((db, w) => deleteSource(db, w.ours, quiet(w))),
  worker((db, w) => noteSync(db, w.ours, quiet(w), { syncId: uuidv7(), isComplete: true, errorCode: null })),
  worker((db, w) => recordSync(db, w.ours, quiet(w), uuidv7())),
  worker((db, w) => forgetSyncs(db, w.ours, busy(w), { kept: 5, limit: 5 })),
  worker((db, w) => forgetSyncs(db, w.ours, quiet(w), { kept: 5, limit: 5 })),
  worker((db, w) => noteCounts(db, w.ours, busy(w), sync(w), {})),
  request((db, w) => listNewestSyncs(db, w.ours, [busy(w), quiet(w)], 5)),
  services((db) => takeStale(db, 20), { readsAll: 'all sources, once a minute' }),
  services((db, w) => noteQueue(db, quiet(w), 'source_denied')),
  services((db) => listTroubled(db, 10), { readsAll: 'all sources, for the doctor' }),
  services((db) => listAnnounced(db), { readsAll: 'all sources that are announced' }),
];

testPlans({
  folders: ['src/pipelines/sources'],
  cases,
  seeds,
});
