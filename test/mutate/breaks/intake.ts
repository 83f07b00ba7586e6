// Breaks of the intake: from the first byte of an upload, or the call of the library, to the run.
import { type Break, QUIET } from '../break.ts';

const ENQUEUE = 'src/engine/enqueue.ts';
const ENQUEUE_TEST = 'src/engine/enqueue.db.test.ts';
const ACCEPT = 'src/sources/intake.ts';
const ACCEPT_TEST = 'src/http/uploads/accept-upload.db.test.ts';
const RECEIVE = 'src/http/uploads/receive-upload.ts';
const RECEIVE_TEST = 'src/http/uploads/receive-upload.test.ts';
const BLOBS_TEST = 'src/engine/blobs/blobs.db.test.ts';

export const intakeBreaks: readonly Break[] = [
  {
    id: 'intake.enqueue-repeated-under-a-new-id',
    file: ENQUEUE,
    find: 'const answers = await write(pool, runs, {',
    replace: 'const answers = await write(pool, requests.map((request) => prepare(registry, request)), {',
    tests: [QUIET],
    title: 'is asked for again under its own id',
  },
  {
    id: 'intake.enqueue-not-repeated',
    file: ENQUEUE,
    find: "ours.code !== 'database_lost') throw ours;",
    replace: "ours.code !== 'database_busy') throw ours;",
    tests: [QUIET],
    title: 'is asked for again under its own id',
  },
  {
    id: 'intake.own-run-called-somebody-elses',
    file: ENQUEUE,
    find: 'created: answer.created || answer.id === runs[index]?.id',
    replace: 'created: answer.created',
    tests: [QUIET],
    title: 'is asked for again under its own id',
  },
  {
    id: 'intake.batch-without-limit',
    file: ENQUEUE,
    find: 'if (requests.length > MAX_RUNS_PER_CALL) {',
    replace: 'if (requests.length > 2 * MAX_RUNS_PER_CALL) {',
    tests: [ENQUEUE_TEST],
    title: '10,000',
  },
  {
    id: 'intake.holder-of-a-key-not-named',
    file: 'src/engine/enqueue.ts',
    find: 'return { id: holder, created: false };',
    replace: 'return { id: run.id, created: false };',
    tests: [ENQUEUE_TEST],
  },
  {
    id: 'intake.later-is-now',
    file: 'src/engine/sql/enqueue-runs.ts',
    find: 'select pipeline, lane, priority, id from added where available_at is null',
    replace: 'select pipeline, lane, priority, id from added',
    tests: [ENQUEUE_TEST],
    title: 'plans what is due later',
  },
  {
    id: 'intake.bytes-of-a-living-run-removed',
    file: ACCEPT,
    find: 'if (error instanceof MillraceError && refusals.has(error.kind))',
    replace: 'if (error instanceof MillraceError)',
    tests: [ACCEPT_TEST],
  },
  {
    id: 'intake.bytes-of-a-refused-upload-kept',
    file: ACCEPT,
    find: "new Set(['input', 'conflict', 'auth', 'config'])",
    replace: 'new Set<string>([])',
    tests: [ACCEPT_TEST],
  },
  {
    id: 'intake.row-after-the-run',
    file: ACCEPT,
    find: '      await recordBlob(db, file, { createdBy });\n',
    replace: '',
    tests: [ACCEPT_TEST],
  },
  {
    id: 'intake.second-file-taken',
    file: RECEIVE,
    find: '} else if (progress.file !== undefined) {',
    replace: '} else if (Number.isNaN(0)) {',
    tests: [RECEIVE_TEST],
  },
  {
    id: 'intake.refused-bytes-left-behind',
    file: RECEIVE,
    find: 'if (progress.file !== undefined) await target.store.delete(progress.file.storeKey).catch(() => undefined);',
    replace: '',
    tests: [RECEIVE_TEST],
  },
  {
    id: 'intake.too-many-at-once',
    file: RECEIVE,
    find: 'if (receiving > limits.maxAtOnce)',
    replace: 'if (receiving > limits.maxAtOnce * 100)',
    tests: [RECEIVE_TEST],
  },
  {
    id: 'intake.empty-file-taken',
    file: 'src/engine/blobs/store-file.ts',
    find: 'if (head.bytes === 0) throw',
    replace: 'if (head.bytes < 0) throw',
    tests: [BLOBS_TEST, RECEIVE_TEST],
  },
  {
    id: 'intake.unused-bytes-swept-at-once',
    file: 'src/engine/blobs/sql/mark-blobs-deleted.ts',
    find: '          and b.created_at < (select engine.now()) - make_interval(secs => $1::double precision * 3600)\n',
    replace: '          and $1::double precision is not null\n',
    tests: [BLOBS_TEST],
  },
  {
    id: 'intake.bytes-with-open-rejects-swept',
    file: 'src/engine/blobs/sql/mark-blobs-deleted.ts',
    find: 'where r.finished_at is null or (select true from engine.rejects j where j.run_id = r.id limit 1)',
    replace: 'where r.finished_at is null',
    tests: [BLOBS_TEST],
  },
];
