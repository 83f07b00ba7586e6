// Statements of the engine: what each reads grows no faster than its input. How it is measured: test/plans/plans.ts.
import {
  byStage,
  byControl as control,
  byEngine as engine,
  type PlanCase,
  byRequest as request,
} from '../../test/plans/plan-case.ts';
import { testPlans } from '../../test/plans/plans.ts';
import type { World } from '../../test/plans/world.ts';
import type { Pool } from '../platform/database.ts';
import { uuidv7 } from '../platform/ids.ts';
import { expireBlobOf } from './blobs/sql/expire-blob.ts';
import { forgetBlobs } from './blobs/sql/forget-blobs.ts';
import { insertBlob } from './blobs/sql/insert-blob.ts';
import { markBlobDeleted } from './blobs/sql/mark-blob-deleted.ts';
import { markExpiredBlobs, markUnusedBlobs } from './blobs/sql/mark-blobs-deleted.ts';
import { selectBlob } from './blobs/sql/select-blob.ts';
import { selectLiveKeys } from './blobs/sql/select-live-keys.ts';
import { selectSameBytes } from './blobs/sql/select-same-bytes.ts';
import { clusterRejects } from './reads/cluster-rejects.ts';
import { countClaimable } from './reads/count-claimable.ts';
import { countOverdue } from './reads/count-overdue.ts';
import { readRunTotals } from './reads/count-runs.ts';
import { isDeadLetter, pageDeadLetters } from './reads/dead-letters.ts';
import { listLeasedAndHeldRunIds, listQueuedRunIds } from './reads/list-live-run-ids.ts';
import { listReadyRuns, listUnended } from './reads/list-ready-runs.ts';
import { countOpenRejects, countRejects, listRejects, lockReject } from './reads/list-rejects.ts';
import { listRuns } from './reads/list-runs.ts';
import { measureRuns } from './reads/measure-runs.ts';
import { type PageFilter, pageRuns } from './reads/page-runs.ts';
import { isHiddenRun, listOwners } from './reads/private-runs.ts';
import { readAttempts, readWorkerNames } from './reads/read-attempts.ts';
import { readDueTimes } from './reads/read-due-times.ts';
import { readRunEvents, readTenantEvents } from './reads/read-events.ts';
import { readPace } from './reads/read-pace.ts';
import { readDecisions, readProgress, readSamples } from './reads/read-progress.ts';
import { countWorkersAlive, readBacklog, readLanes, readTrouble, readWorkers } from './reads/read-queue.ts';
import { readReplays } from './reads/read-replays.ts';
import {
  findRetried,
  findRun,
  isAcknowledged,
  readFileFacts,
  readLines,
  readRun,
  readRunByKey,
  readShownRun,
} from './reads/read-run.ts';
import { readHolders, readRuns } from './reads/read-runs.ts';
import { readConsumerSigns, readOutboxSigns, readSigns } from './reads/read-signs.ts';
import { countFlaggedRuns, listSchedules as listSchedulesOf, readPauses } from './reads/read-tenant-figures.ts';
import { readTenantsAtWork, readTenantsWithWork } from './reads/read-tenants-with-work.ts';
import { readThrottling } from './reads/read-throttling.ts';
import { readUploadFacts } from './reads/read-upload-facts.ts';
import { readQueueSigns, readScheduleSigns } from './reads/read-vital-signs.ts';
import { readWaitingFacts } from './reads/read-waiting.ts';
import { newest } from './reads/ways-into-ledger.ts';
import {
  acknowledgeDeadLetter,
  cancelWaitingRun,
  holdRun,
  hurryRun,
  linkRequeued,
  lockLeaseToCancel,
  pauseLane,
  requestCancel,
  resumeRun,
  unpauseLane,
} from './sql/act-on-runs.ts';
import { raiseCommits, readCommitted } from './sql/checkpoints.ts';
import { claimRound, nothingKnown } from './sql/claim-round.ts';
import { claimCappedLane, claimFew, claimFirst, claimRunById, claimSolo, hasSoloRun } from './sql/claim-runs.ts';
import { correctRejects } from './sql/correct-rejects.ts';
import { failUndelivered, makeClaimable, makeSomeClaimable } from './sql/delivered-runs.ts';
import { endAlike } from './sql/end-alike.ts';
import { type AttemptEnd, endAttempts } from './sql/end-attempts.ts';
import { endsInHistory } from './sql/ends-in-history.ts';
import { enqueueRuns, findHolder, findThere, type NewRun } from './sql/enqueue-runs.ts';
import { forgetConsumer, lastPosition, positionEvents, readFeed } from './sql/event-feed.ts';
import { countUnderFence, lockLease } from './sql/fence.ts';
import { commitsNotStanding, leasesStillHeld } from './sql/held-leases.ts';
import { insertEvents } from './sql/insert-events.ts';
import { insertRejects } from './sql/insert-rejects.ts';
import { keepEndedRuns } from './sql/keep-ended-runs.ts';
import { linkReturnedRejects } from './sql/link-returned-rejects.ts';
import { lockLanes, lockSoloLane } from './sql/lock-lanes.ts';
import { lookForWork, nextPartIn } from './sql/look-for-work.ts';
import { moveDueRuns } from './sql/move-due-runs.ts';
import {
  findRunsToMove,
  keepKeyedRuns,
  lockKeysOf,
  lockMover,
  moveAttempts,
  moveEvents,
  moveRuns,
  whyMonthStays,
} from './sql/move-to-history.ts';
import {
  claimPart,
  endPartAlone,
  forgetParts,
  lockSharedRun,
  offerParts,
  readPartsLeft,
  takeNextPart,
} from './sql/parts.ts';
import { passThrough } from './sql/pass-through.ts';
import { insertDecisions, insertSamples, writeProgress } from './sql/progress.ts';
import {
  pruneEvents,
  pruneFlaggedRuns,
  pruneRateLimits,
  pruneSideTable,
  pruneWorkers,
  type SideTable,
} from './sql/prune.ts';
import {
  closeQuestion,
  deleteOldQuestions,
  failAskedRun,
  findOpenQuestion,
  findQuestion,
  insertQuestion,
  listOpenQuestions,
  selectAnswers,
  takeOverdueQuestions,
} from './sql/questions.ts';
import { takeTokens } from './sql/rate-limits.ts';
import { readInput } from './sql/read-input.ts';
import { reopenReplayed } from './sql/reopen-replayed.ts';
import { markReplayed, resolveReplayed, selectCorrectedRejects } from './sql/replay-rejects.ts';
import { declareLostWorkers, endLostEffects, endSilentWorkers, lockLostLeases } from './sql/rescue-runs.ts';
import {
  deleteSchedule,
  listDueSchedules,
  listSchedules,
  lockDueSchedule,
  lockDueSchedules,
  nextScheduleIn,
  postponeSchedule,
  recordFiring,
  setScheduleAside,
  switchSchedule,
  upsertSchedule,
} from './sql/schedules.ts';
import { stagedRows } from './sql/staged-rows.ts';
import { claimedLeases, endWorker, leasesOf, markBegun, registerWorker, renewWorker } from './sql/workers.ts';

const some = (w: World) => [w.run('ads', 'small'), w.run('judgments', 'small'), w.run('syncs', 'failed')];
const small = (w: World) => w.run('ads', 'small');
const big = (w: World) => w.run('ads', 'big');
const active = (w: World) => w.run('ads', 'active');
/** Of the worker that holds the active runs a case can name. */
const worker = (w: World) => w.id('worker_id', 0);
const lease = (w: World) => ({
  id: active(w),
  part: '',
  attempt: 1,
  workerId: worker(w),
  stage: 'work',
  pipeline: 'ads',
});
const claimant = (w: World) => ({ workerId: worker(w), capped: [], announced: ['ads'] });
const dayAgo = (w: World) => w.id('run_id', w.size - 20);
const trouble = { code: 'internal', text: 'it broke' };
const signs = { lastEndAgoMs: 5, endsWaiting: 0, oldestEndMs: null };

const end = (w: World, event: string): AttemptEnd => ({
  runId: active(w),
  part: '',
  attempt: 1,
  workerId: worker(w),
  commits: '{"1": 0}',
  pipeline: 'ads',
  fromStatus: 'parsing',
  event,
  outcome: event,
  receipt: null,
  failures: null,
  waitReason: null,
  delayMs: null,
  errorKind: 'transient',
  errorCode: 'internal',
  errorText: 'it broke',
});

const newRun = (w: World, more: Partial<NewRun> = {}): NewRun => ({
  id: uuidv7(),
  tenantId: w.ours,
  pipeline: 'ads',
  status: 'queued',
  lane: w.ours,
  priority: 0,
  input: '{}',
  uniqueKey: `new ${uuidv7()}`,
  activeKey: null,
  availableAt: null,
  blobId: null,
  sourceId: null,
  retryOf: null,
  correlationId: null,
  createdBy: null,
  createdIp: null,
  ...more,
});
const manner = { announced: ['ads'], wakes: false, isNew: false };

const page = (w: World, more: Partial<PageFilter> = {}): PageFilter => ({
  tenantId: w.ours,
  beforeId: newest,
  pipelines: null,
  statuses: null,
  phases: null,
  scan: 100,
  sources: null,
  since: null,
  until: null,
  titlePart: null,
  limit: 50,
  ...more,
});

const rejectFilter = (w: World) => ({
  tenantId: w.ours,
  runId: big(w),
  after: '0',
  cause: null,
  codes: null,
  statuses: null,
  limit: 50,
});

const progressRow = (w: World) => ({
  runId: active(w),
  part: '',
  tenantId: w.ours,
  attempt: 1,
  stage: 'work',
  done: 1,
  total: 2,
  unit: 'rows',
  note: null,
});

const queue = { readsAll: 'counts what waits' };
const live = { readsAll: 'counts the runs at work' };
const letters = { readsAll: 'the dead letters of one tenant: each is asked whether somebody has dealt with it' };
const later = { readsAll: 'the runs that wait for later, 10,000 at most' };
const ofRun = { readsAll: 'counts the rejects of one run' };

const blobs: PlanCase[] = [
  request((db, w) => expireBlobOf(db, w.ours, small(w)), { role: 'millrace_engine' }),
  control((db) => forgetBlobs(db, 1, 100), { readsAll: 'every blob without bytes that a run still names' }),
  request((db, w) =>
    insertBlob(db, {
      blobId: uuidv7(),
      tenantId: w.ours,
      storeKey: 'new',
      sha256: Buffer.alloc(32),
      bytes: 1,
      mediaType: 'text/csv',
      format: 'csv',
      originalName: 'a.csv',
      createdBy: undefined,
      keepDays: 30,
    }),
  ),
  control((db, w) => markBlobDeleted(db, w.id('blob_id', 41))),
  control((db) => markUnusedBlobs(db, 1, 100)),
  control((db) => markExpiredBlobs(db, 100)),
  control((db, w) => selectBlob(db, w.id('blob_id', 41))),
  control((db) => selectLiveKeys(db, ['store_key 1', 'store_key 2'])),
  request((db, w) => selectSameBytes(db, { tenantId: w.ours, sha256: Buffer.alloc(32), blobId: w.id('blob_id', 1) })),
];

const reads: PlanCase[] = [
  request((db, w) => clusterRejects(db, w.ours, small(w), 20)),
  request((db, w) => clusterRejects(db, w.ours, big(w), 20), ofRun),
  control((db) => countClaimable(db, ['ads', 'judgments']), queue),
  engine((db) => countOverdue(db, 'judgments', { queuedHours: 24, staleMinutes: 5 }), queue),
  request((db, w) => readRunTotals(db, w.ours), { readsAll: 'counts the runs of one tenant' }),
  request((db, w) => pageDeadLetters(db, w.ours, { pipelines: null, limit: 50 }), letters),
  request((db, w) => pageDeadLetters(db, w.ours, { pipelines: ['ads'], limit: 50 }), letters),
  request((db, w) => isDeadLetter(db, w.ours, w.run('ads', 'dead'))),
  control((db, w) => listQueuedRunIds(db, w.ours, 500), queue),
  request((db, w) => listLeasedAndHeldRunIds(db, w.ours, 500), live),
  control((db) => listReadyRuns(db, 'ads', 100)),
  control((db, w) =>
    listUnended(
      db,
      some(w).map((id) => ({ id, status: 'queued', attempt: 1 })),
    ),
  ),
  request((db, w) => listRejects(db, rejectFilter(w))),
  request((db, w) => listRejects(db, { ...rejectFilter(w), cause: 'cause 1', statuses: ['open'] })),
  request((db, w) => lockReject(db, w.ours, big(w), '44')),
  request((db, w) => countRejects(db, w.ours, small(w))),
  request((db, w) => countRejects(db, w.ours, big(w)), ofRun),
  request((db, w) => countOpenRejects(db, w.ours, [small(w), big(w)], 100)),
  control((db, w) => listRuns(db, { tenantId: w.ours }, 50)),
  control((db) => listRuns(db, { tenantId: null }, 50)),
  control((db) => listRuns(db, { tenantId: null, phase: 'failed' }, 50), {
    readsAll: 'the failed runs of all tenants, for the operator',
  }),
  control((db, w) => listRuns(db, { tenantId: w.ours, pipeline: 'ads' }, 50)),
  control((db, w) => listRuns(db, { tenantId: w.ours, phase: 'failed' }, 50), {
    readsAll: 'the failed runs of one tenant, for programs and the operator',
  }),
  control((db, w) => listRuns(db, { tenantId: w.ours, phase: 'dead' }, 50)),
  control((db, w) => listRuns(db, { tenantId: w.ours, phase: 'active' }, 50), live),
  control((db, w) => listRuns(db, { tenantId: w.ours, status: 'failed' }, 50), live),
  ...(['ledger', 'pipelines', 'flagged', 'given'] as const).flatMap((way) => [
    request((db, w) => pageRuns(db, way, page(w, { pipelines: ['ads'], statuses: ['failed'] }), some(w))),
    request((db, w) => measureRuns(db, way, page(w, { pipelines: ['ads'] }), 10, some(w))),
    request((db, w) => measureRuns(db, way, page(w, { pipelines: ['ads'], lastOf: ['ads'] }), 10, some(w))),
    request((db, w) => measureRuns(db, way, page(w, { phases: ['failed'], lastOf: ['ads'] }), 10, some(w))),
    request((db, w) => measureRuns(db, way, page(w, { pipelines: ['ads'], phases: ['failed'] }), 10, some(w))),
  ]),
  request((db, w) => readAttempts(db, w.ours, small(w))),
  request((db, w) => readAttempts(db, w.ours, big(w), { after: 0, limit: 50 })),
  control((db, w) => readWorkerNames(db, [worker(w)])),
  request((db, w) => readDueTimes(db, w.ours, ['schedule 1', 'schedule 2'])),
  request((db, w) => readRunEvents(db, w.ours, small(w), { limit: 50 })),
  request((db, w) => readTenantEvents(db, { tenantId: w.ours, after: 100, upTo: 200, limit: 50 }), {
    role: 'millrace_engine',
  }),
  control((db, w) => readPace(db, null, dayAgo(w))),
  control((db, w) => readPace(db, w.ours, dayAgo(w))),
  request((db, w) => readProgress(db, w.ours, small(w))),
  request((db, w) => readDecisions(db, w.ours, big(w), 50)),
  request((db, w) => readSamples(db, w.ours, big(w), 50)),
  control((db, w) => readLanes(db, w.ours), queue),
  control((db, w) => readWorkers(db, w.ours), { readsAll: 'the workers that are alive, and what each runs' }),
  control((db) => readBacklog(db), queue),
  control((db) => countWorkersAlive(db), { readsAll: 'counts the workers that are alive' }),
  control((db) => readTrouble(db), { readsAll: 'counts the dead letters' }),
  request((db, w) => readReplays(db, w.ours, small(w), 20)),
  request((db, w) => readRun(db, w.ours, small(w))),
  engine((db, w) => findRun(db, small(w))),
  control((db, w) => findRun(db, small(w))),
  request((db, w) => readShownRun(db, w.ours, small(w))),
  request((db, w) => readShownRun(db, w.ours, active(w))),
  request((db, w) =>
    readRunByKey(db, { tenantId: w.ours, pipeline: 'ads', uniqueKey: `key ${w.runIndex('ads', 'small')}` }),
  ),
  request((db, w) => isAcknowledged(db, w.ours, w.run('ads', 'failed'))),
  request((db, w) => findRetried(db, some(w))),
  request((db, w) => readLines(db, w.ours, some(w))),
  request((db, w) => isHiddenRun(db, w.ours, small(w), { pipelines: ['ads'], viewerId: uuidv7() })),
  request((db, w) => listOwners(db, ['ads'], some(w))),
  request((db, w) => readFileFacts(db, w.ours, w.id('blob_id', 41))),
  request((db, w) => readRuns(db, w.ours, some(w))),
  request((db, w) => readHolders(db, w.ours, 'ads', [`active ${w.runIndex('ads', 'active')}`])),
  control((db) => readSigns(db), live),
  control((db) => readOutboxSigns(db), { readsAll: 'counts what waits in the outbox' }),
  control((db) => readConsumerSigns(db)),
  request((db, w) => countFlaggedRuns(db, w.ours), { readsAll: 'counts the failed runs of one tenant' }),
  control((db, w) => readPauses(db, [w.ours])),
  request((db, w) => listSchedulesOf(db, w.ours, null, 50)),
  control((db) => readTenantsAtWork(db), live),
  control((db) => readTenantsWithWork(db), live),
  control((db, w) => readThrottling(db, null, dayAgo(w), w.at(w.size - 20), { ads: 'meta' }), later),
  control((db, w) => readThrottling(db, w.ours, dayAgo(w), w.at(w.size - 20), { ads: 'meta' }), later),
  request((db, w) => readUploadFacts(db, w.ours, some(w))),
  engine((db) => readScheduleSigns(db), { readsAll: 'counts the schedules' }),
  engine((db) => readQueueSigns(db), queue),
  control((db, w) => readWaitingFacts(db, w.run('ads', 'ready')), queue),
];

const acting: PlanCase[] = [
  control((db, w) => holdRun(db, w.ours, w.run('ads', 'ready'), 'somebody')),
  control((db, w) => holdRun(db, w.ours, w.run('ads', 'scheduled'), 'somebody')),
  control((db, w) => resumeRun(db, w.ours, w.run('ads', 'held'), { isAsked: true })),
  control((db, w) => hurryRun(db, w.ours, w.run('ads', 'scheduled'))),
  control((db, w) =>
    cancelWaitingRun(db, { tenantId: w.ours, runId: w.run('ads', 'ready'), by: 'somebody', text: 'no' }),
  ),
  control((db, w) => lockLeaseToCancel(db, w.ours, active(w))),
  control((db, w) => requestCancel(db, w.ours, active(w), 'somebody')),
  control((db, w) => linkRequeued(db, w.run('ads', 'dead'), uuidv7())),
  control((db, w) =>
    acknowledgeDeadLetter(db, { tenantId: w.ours, runId: w.run('ads', 'dead'), by: 'somebody', reason: 'known' }),
  ),
  control((db, w) => pauseLane(db, 'ads', w.ours, 'somebody')),
  control((db, w) => unpauseLane(db, 'ads', w.ours)),
  control((db, w) => readCommitted(db, small(w), 'work', '1')),
  engine((db, w) =>
    raiseCommits(db, { runId: small(w), stage: 'work', part: '1', attempt: 1, state: '{}', atLeast: 0, atMost: null }),
  ),
  request((db, w) =>
    correctRejects(db, { tenantId: w.ours, runId: big(w), by: 'somebody' }, [
      { rejectId: '44', correction: null, status: 'open' },
    ]),
  ),
  request((db, w) => selectCorrectedRejects(db, w.ours, small(w), { rejectIds: null, takesOpen: true })),
  request((db, w) => selectCorrectedRejects(db, w.ours, big(w), { rejectIds: null, takesOpen: true }), {
    readsAll: 'the corrected rejects of one run',
  }),
  control((db, w) => markReplayed(db, w.ours, big(w), ['44', '46'], small(w))),
  control((db, w) => resolveReplayed(db, some(w))),
  control((db, w) => reopenReplayed(db, some(w))),
  engine((db, w) => insertRejects(db, w.ours, small(w), [{ code: 'bad_date', message: 'no date', item: {} }])),
  byStage(
    'millrace_engine',
    (db, w) =>
      linkReturnedRejects(db, {
        tenantId: w.ours,
        original: big(w),
        runId: small(w),
        lines: [{ line: 44, cells: {} }],
      }),
    { readsAll: 'the refused rows of one run: they come back by their lines, thousands at a time' },
  ),
];

const claiming: PlanCase[] = [
  control((db, w) => claimFirst(db as Pool, claimant(w), ['ads'], nothingKnown.beginAt).catch(() => undefined)),
  control((db, w) => claimFew(db, claimant(w), [{ pipeline: 'ads', lane: w.ours }])),
  control((db, w) => claimCappedLane(db, claimant(w), { pipeline: 'ads', lane: w.ours, cap: 10_000, count: 10 }), {
    readsAll: 'counts the runs at work in one lane',
  }),
  control((db, w) => claimSolo(db, claimant(w), ['ads'])),
  control((db) => hasSoloRun(db, ['ads'])),
  control((db, w) => claimRunById(db, claimant(w), w.run('ads', 'ready'))),
  control((db, w) => makeClaimable(db, w.run('ads', 'scheduled'))),
  control((db, w) => makeSomeClaimable(db, 'ads', w.run('ads', 'scheduled'), 20)),
  control((db) => forgetConsumer(db, 'nobody')),
  control((db, w) =>
    failUndelivered(db, { tenantId: w.ours, runId: w.run('ads', 'ready'), code: 'x', text: 'no', hasBegun: true }),
  ),
  control((db, w) =>
    claimRound(db, claimant(w), [
      { pipeline: 'ads', afterLane: '', group: 1, limit: 10 },
      { pipeline: 'judgments', afterLane: '', group: 1, limit: 10 },
    ]),
  ),
  control((db, w) =>
    claimRound(db, claimant(w), [{ pipeline: 'ads', afterLane: '', group: 1, limit: 10 }], {
      beginAt: nothingKnown.beginAt,
      marks: {},
    }),
  ),
  control((db) => lockLanes(db, { pipeline: 'ads', afterLane: '', cap: 10_000, count: 10 }), {
    readsAll: 'counts the runs at work in each lane',
  }),
  control((db) => lockSoloLane(db, [{ name: 'ads', cap: 3 }])),
  control((db) => lookForWork(db, ['ads'], ['items'])),
  control((db) => nextPartIn(db, ['items'])),
  control((db) => moveDueRuns(db, 50)),
  control((db, w) => claimPart(db, claimant(w), { pipeline: 'items', afterLane: '' })),
  control((db, w) => takeNextPart(db, claimant(w), w.run('items', 'active'))),
  control((db, w) => offerParts(db, lease(w), ['a', 'b'])),
  control((db, w) => lockSharedRun(db, lease(w))),
  control((db, w) =>
    readPartsLeft(db, { ...lease(w), id: w.run('items', 'small') }, '{"1": 0}', {
      fromStatus: 'parsing',
      event: 'fail',
    }),
  ),
  control((db, w) =>
    endPartAlone(db, lease(w), {
      state: 'ended',
      delayMs: 0,
      failure: null,
      end: { ...end(w, 'fail'), failures: '{}' },
    }),
  ),
  control((db, w) => forgetParts(db, w.run('items', 'small'))),
  control((db, w) => passThrough(db, lease(w), { fromStatus: 'parsing', event: 'fail' })),
];

const ending: PlanCase[] = [
  control((db, w) =>
    endAlike(
      db,
      {
        attempt: 1,
        workerId: worker(w),
        pipeline: 'ads',
        stage: 'work',
        fromStatus: 'parsing',
        event: 'complete',
        receipt: '{"read": 0}',
      },
      [active(w)],
    ),
  ),
  control((db, w) => endAttempts(db, [end(w, 'fail')], [{ runId: active(w), type: 'told', key: '', data: '{}' }])),
  control((db, w) => endAttempts(db, [end(w, 'release')])),
  control((db, w) => endsInHistory(db, [{ runId: small(w), attempt: 1, outcome: 'complete' }])),
  control((db, w) =>
    enqueueRuns(db, [newRun(w), newRun(w, { availableAt: new Date(w.now.getTime() + 60_000) })], manner),
  ),
  control((db, w) => enqueueRuns(db, [newRun(w), newRun(w)], { ...manner, isNew: true })),
  control((db, w) => enqueueRuns(db, [newRun(w)], { ...manner, isNew: true, announced: [] })),
  control((db, w) => findThere(db, some(w))),
  control((db, w) => readInput(db, active(w))),
  control((db, w) => findHolder(db, newRun(w, { retryOf: small(w) }))),
  control((db, w) => lockLease(db, lease(w))),
  control((db, w) => countUnderFence(db, lease(w), '1')),
  control((db, w) => leasesStillHeld(db, [lease(w)])),
  control((db, w) => commitsNotStanding(db, [{ ...lease(w), commits: '{"": 1}' }])),
  control((db, w) => keepEndedRuns(db, some(w), 1)),
  control((db, w) => declareLostWorkers(db).then(() => w), { readsAll: 'every worker that holds a run' }),
  control((db, w) => lockLostLeases(db, [worker(w)], 50)),
  control((db, w) => endLostEffects(db, [worker(w)], 50)),
  control((db) => endSilentWorkers(db), { readsAll: 'the workers that fell silent' }),
  control((db) =>
    registerWorker(
      db,
      { workerId: uuidv7(), name: 'a', pid: 1, host: 'h', version: '1', pipelines: ['ads'], concurrency: 2 },
      1_000,
    ),
  ),
  engine((db, w) => renewWorker(db, worker(w), 1_000, signs)),
  control((db, w) => endWorker(db, worker(w))),
  engine((db, w) => leasesOf(db, worker(w))),
  control((db, w) => claimedLeases(db, worker(w), [active(w)])),
  control((db, w) => markBegun(db, [lease(w)])),
];

const telling: PlanCase[] = [
  control((db, w) => insertEvents(db, [{ tenantId: w.ours, runId: small(w), type: 'told', key: '', data: '{}' }])),
  control((db) => positionEvents(db, 100)),
  control((db) => readFeed(db, 100, 50)),
  control((db) => lastPosition(db)),
  control((db, w) => writeProgress(db, [progressRow(w)])),
  control((db, w) => insertSamples(db, [progressRow(w)])),
  control((db, w) =>
    insertDecisions(db, [
      { runId: small(w), tenantId: w.ours, stage: 'work', sizeName: 'rows', fromSize: 1, toSize: 2, reason: 'quick' },
    ]),
  ),
  control((db) => takeTokens(db, { key: 'limit 1', capacity: 10, refillPerSecond: 1, tokens: 1 })),
  control((db, w) =>
    insertQuestion(
      db,
      { id: small(w), tenantId: w.ours },
      { code: 'doubt', text: 'which?', details: {}, choices: [] } as never,
      24,
    ),
  ),
  control((db, w) => selectAnswers(db, w.id('run_id', 41))),
  request((db, w) => findQuestion(db, w.ours, w.id('question_id', 41))),
  request((db, w) => findOpenQuestion(db, w.ours, w.id('run_id', 42))),
  request((db, w) => listOpenQuestions(db, w.ours, { after: null, limit: 20 })),
  control((db, w) => closeQuestion(db, w.id('question_id', 42), { choice: 'yes', by: 'somebody' })),
  control((db) => takeOverdueQuestions(db, 20)),
  control((db) => deleteOldQuestions(db, 1, 50)),
  control((db, w) =>
    failAskedRun(db, { tenantId: w.ours, runId: w.run('ads', 'held'), code: 'internal', text: 'no answer' }),
  ),
];

const keeping: PlanCase[] = [
  control((db) => lockMover(db)),
  control((db) => findRunsToMove(db, nothingKnown.beginAt, 1, 100)),
  control((db, w) => moveAttempts(db, [small(w)], 100)),
  control((db, w) => moveEvents(db, [small(w)], 100)),
  control((db, w) => lockKeysOf(db, some(w))),
  control((db, w) => moveRuns(db, some(w))),
  control((db, w) => keepKeyedRuns(db, w.now.toISOString().slice(0, 8).concat('01'), 50)),
  control((db, w) => whyMonthStays(db, w.now.toISOString().slice(0, 8).concat('01'))),
  control((db) => pruneEvents(db, 0, 1, 100)),
  ...(
    [
      'checkpoints',
      'progress',
      'progress_samples',
      'row_outcomes',
      'decisions',
      'rejects',
      'open_rejects',
    ] satisfies SideTable[]
  ).map((table) => control((db) => pruneSideTable(db, table, { after: nothingKnown.beginAt, days: 1, limit: 100 }))),
  control((db) => pruneRateLimits(db, 1, 100)),
  control((db) => pruneWorkers(db, 1, 100)),
  control((db, w) => pruneFlaggedRuns(db, w.at(0), 0, 100)),
  byStage('ads_cleanup', (db) => stagedRows('staging_rows', 'upload_id').list(db, 1, 50)),
  byStage('ads_cleanup', (db, w) => stagedRows('staging_rows', 'upload_id').remove(db, small(w), 10)),
  control((db, w) => lockDueSchedules(db, ['ads'], 20).then(() => w)),
  control((db) => listDueSchedules(db, ['ads'], 20)),
  control((db, w) => lockDueSchedule(db, ['ads'], w.id('schedule_id', 48))),
  control((db, w) => recordFiring(db, { scheduleId: w.id('schedule_id', 48), runId: null, nextAt: w.now, trouble })),
  control((db, w) => setScheduleAside(db, w.id('schedule_id', 48), trouble)),
  control((db, w) => postponeSchedule(db, w.id('schedule_id', 48), trouble, { firstMs: 1, mostMs: 2 })),
  control((db, w) =>
    upsertSchedule(db, {
      scheduleId: uuidv7(),
      tenantId: w.ours,
      name: 'schedule 1',
      pipeline: 'ads',
      cron: '* * * * *',
      timeZone: 'UTC',
      jitterSeconds: 0,
      input: '{}',
      enabled: true,
      nextAt: w.now,
    }),
  ),
  control((db, w) => listSchedules(db, w.ours), { readsAll: 'the schedules of one tenant' }),
  control((db, w) => switchSchedule(db, w.ours, 'schedule 1', false)),
  control((db, w) => deleteSchedule(db, w.ours, 'schedule 1')),
  control((db) => nextScheduleIn(db, ['ads'])),
];

testPlans({
  folders: ['src/engine'],
  cases: [...blobs, ...reads, ...acting, ...claiming, ...ending, ...telling, ...keeping],
  seeds: [
    {
      table: 'public.staging_rows',
      runsOf: 'ads',
      columns: { entity_type: `'ad'`, validation_status: `'valid'`, created_at: 'plan.at(i)' },
    },
  ],
  exempt: {
    'engine-detach-month': 'takes a partition away and reads no rows',
    'engine-drop-detached-month': 'drops a table and reads no rows',
    'engine-add-history-month':
      'makes a partition; what may have to be moved into it is nothing as long as the month has not begun',
    'engine-stop-effects': 'looks at sessions of the server',
  },
});
