// Breaks of items: who may give an item its fate, what is stored of a file, what is retried and what that costs, who may see a job, and what an export holds.
import type { Break } from '../break.ts';

const RESULTS = 'src/pipelines/items/sql/write-results.ts';
const SLICE = 'src/pipelines/items/sql/write-slice.ts';
const CLAIM_SLICES = 'src/pipelines/items/sql/claim-slices.ts';
const INSERT = 'src/pipelines/items/sql/insert-items.ts';
const ROWS = 'src/pipelines/items/ingest/item-rows.ts';
const INGEST = 'src/pipelines/items/ingest/ingest.ts';
const RULES = 'src/pipelines/items/process/retry-rules.ts';
const PACE = 'src/pipelines/items/process/pace.ts';
const ATTEMPT = 'src/pipelines/items/process/attempt-item.ts';
const OWN = 'src/pipelines/items/processors/own-process.ts';
const SHEET = 'src/pipelines/items/export/sheet.ts';

const TRIES_TEST = 'src/pipelines/items/repeated-tries.db.test.ts';
const SLICES_TEST = 'src/pipelines/items/slices.db.test.ts';
const RANGES_TEST = 'src/pipelines/items/ranges.db.test.ts';
const JOBS_TEST = 'src/pipelines/items/jobs.db.test.ts';
const INSERTS_TEST = 'src/pipelines/items/inserts.db.test.ts';
const RULES_TEST = 'src/pipelines/items/process/retry-rules.test.ts';
const PACE_TEST = 'src/pipelines/items/process/pace.test.ts';
const OWN_TEST = 'src/pipelines/items/own-processors.db.test.ts';
const KEYSET_TEST = 'src/pipelines/items/keyset.db.test.ts';
const SHEET_TEST = 'src/pipelines/items/export/sheet.test.ts';

export const itemBreaks: readonly Break[] = [
  {
    id: 'items.late-result-counts',
    file: RESULTS,
    find: '\n            and i.claims = g.claim',
    replace: '',
    tests: [SLICES_TEST],
    title: 'the database refuses a result whose claim is no longer the latest',
  },
  {
    id: 'items.silent-range-writes',
    file: SLICE,
    find: 'if (!(await lockSlice(db, target, fromRow))) return undefined;',
    replace: 'await lockSlice(db, target, fromRow);',
    tests: [RANGES_TEST],
    title: 'late results change nothing',
  },
  {
    id: 'items.lost-range-is-not-recorded',
    file: CLAIM_SLICES,
    find: 'i.claims + 1, next_attempt_at = engine.now()',
    replace: 'i.claims, next_attempt_at = engine.now()',
    tests: [RANGES_TEST],
    title: 'a range whose worker went silent is broken up',
  },
  {
    id: 'items.insert-without-bound',
    file: ROWS,
    find: 'last.length < bounds.rows && last.bytes < bounds.bytes',
    replace: 'last.bytes < bounds.bytes',
    tests: [INSERTS_TEST],
    title: 'never hold more than the most',
  },
  {
    id: 'items.insert-without-bytes',
    file: ROWS,
    find: 'last.length < bounds.rows && last.bytes < bounds.bytes',
    replace: 'last.length < bounds.rows',
    tests: [INSERTS_TEST],
    title: 'hold no more bytes than they may',
  },
  {
    id: 'items.long-row-is-stored',
    file: ROWS,
    find: 'if (length > MAX_ROW_BYTES) {',
    replace: 'if (length > 16 * MAX_ROW_BYTES) {',
    tests: [JOBS_TEST],
    title: 'a row of 5 MB is refused alone',
  },
  {
    id: 'items.long-row-ends-the-job',
    file: INGEST,
    find: ', limits: rowLimits }',
    replace: ' }',
    tests: [JOBS_TEST],
    title: 'a row of 5 MB is refused alone',
  },
  {
    id: 'items.copy-by-fingerprint-alone',
    file: INSERT,
    find: 'where o.job_id = $1 and o.row_index = g.t and o.input_json::jsonb = g.c::jsonb limit 1)',
    replace: 'where o.job_id = $1 and o.row_index = g.t limit 1)',
    tests: [INSERTS_TEST],
    title: 'only looks like a copy',
  },
  {
    id: 'items.cell-is-not-escaped',
    file: 'src/platform/json-array.ts',
    find: 'byte !== QUOTE && byte !== BACKSLASH',
    replace: 'byte !== QUOTE',
    tests: ['src/platform/json-array.db.test.ts'],
    title: 'hold bytes, texts and documents as JSON has them',
  },
  {
    id: 'items.refusal-costs-an-attempt',
    file: RULES,
    find: 'const errors = isFree ? item.errors : item.errors + 1;',
    replace: 'const errors = item.errors + 1;',
    tests: [RULES_TEST],
    title: 'costs no attempt',
  },
  {
    id: 'items.asked-for-ever',
    file: RULES,
    find: 'if (refusals >= maxAttemptsRateLimited)',
    replace: 'if (refusals < 0)',
    tests: [RULES_TEST],
    title: 'is given up some day',
  },
  {
    id: 'items.same-strategy-again',
    file: RULES,
    find: 'return strategies[Math.min(notFounds, strategies.length - 1)] ?? strategies[0];',
    replace: 'return strategies[Math.min(notFounds, 0)] ?? strategies[0];',
    tests: [RULES_TEST],
    title: 'the next strategy follows',
  },
  {
    id: 'items.pace-is-not-halved',
    file: PACE,
    find: 'this.#atOnce = Math.max(1, Math.floor(from / 2));',
    replace: 'this.#atOnce = from;',
    tests: [PACE_TEST],
    title: 'asked to slow down, it halves',
  },
  {
    id: 'items.host-is-not-left-alone',
    file: PACE,
    find: 'Math.min(LONGEST_TOLD_MS, afterMs ?? 0)',
    replace: 'Math.min(LONGEST_DELAY_MS, afterMs ?? 0)',
    tests: [PACE_TEST],
    title: 'waits as long as the host says',
  },
  {
    id: 'items.neighbour-is-blamed',
    file: OWN,
    find: 'const isCertain = this.#rows === 1;',
    replace: 'const isCertain = true;',
    tests: [OWN_TEST],
    title: 'lose no attempt to a neighbour',
  },
  {
    id: 'items.late-neighbour-is-blamed',
    file: ATTEMPT,
    find: 'if (outer.aborted || !worksElsewhere(processor)) reject(reason);',
    replace: 'reject(reason);',
    tests: [OWN_TEST],
    title: 'lose no attempt to a neighbour that is spinning',
  },
  {
    id: 'items.memory-is-not-weighed',
    file: OWN,
    find: 'if ((await memoryOfProcess(this.#child.pid)) > mb)',
    replace: 'if ((await memoryOfProcess(this.#child.pid)) < 0)',
    tests: [OWN_TEST],
    title: 'that is hogging ends its own rows',
  },
  {
    id: 'items.job-of-another-is-shown',
    file: 'src/pipelines/items/http/job-access.ts',
    find: 'if (viewer.seesAll || (viewer.userId !== null && viewer.userId === job.user_id)) return job;',
    replace: 'if (viewer.seesAll || viewer.userId !== null) return job;',
    tests: [JOBS_TEST],
    title: 'belongs to who submitted it',
  },
  {
    id: 'items.listing-goes-past-its-moment',
    file: 'src/pipelines/items/sql/list-pending.ts',
    find: 'and (i.updated_at, i.id) > ($3::timestamptz, $4::bigint) and i.updated_at <= $5::timestamptz',
    replace: 'and (i.updated_at, i.id) > ($3::timestamptz, $4::bigint)',
    tests: [KEYSET_TEST],
    title: 'shows every item that stays once',
  },
  {
    id: 'items.digits-are-lost',
    file: SHEET,
    find: 'const MAX_DIGITS = 15;',
    replace: 'const MAX_DIGITS = 30;',
    tests: [SHEET_TEST],
    title: 'is a number where the column says so',
  },
  {
    id: 'items.thirtieth-of-february',
    file: SHEET,
    find: '|| date.toISOString().slice(0, 10) !== text.slice(0, 10) ? null',
    replace: '? null',
    tests: [SHEET_TEST],
    title: 'the calendar has that day',
  },
  {
    id: 'items.check-digit-is-not-looked-at',
    file: 'src/pipelines/items/processors/catalog-keys.ts',
    find: 'return hasRightCheckDigit(padded) ? padded : null;',
    replace: 'return padded;',
    tests: ['src/pipelines/items/processors/catalog-keys.test.ts'],
    title: 'is looked at',
  },
  {
    id: 'items.value-leaves-its-place',
    file: 'src/pipelines/items/processors/template.ts',
    find: 'encodeURIComponent(valueIn(name))',
    replace: 'encodeURI(valueIn(name))',
    tests: ['src/pipelines/items/processors/template.test.ts'],
    title: 'a value cannot leave its place in a URL',
  },
  {
    id: 'items.answer-is-not-looked-at',
    file: 'src/pipelines/items/process/checked-outcome.ts',
    find: 'const json = storableJson(value);',
    replace: 'const json = JSON.stringify(value);',
    tests: ['src/pipelines/items/nonsense.db.test.ts'],
    title: 'an answer that cannot be stored, or is none',
  },
  {
    id: 'items.answer-is-too-deep',
    file: 'src/pipelines/items/process/checked-outcome.ts',
    find: 'json.length > MAX_RESULT_BYTES || isTooDeep(json)',
    replace: 'json.length > MAX_RESULT_BYTES',
    tests: ['src/pipelines/items/nonsense.db.test.ts'],
    title: 'an answer that cannot be stored, or is none',
  },
  {
    id: 'items.nobody-starts-what-was-reset',
    file: 'src/pipelines/items/leftovers.ts',
    find: "return phase === 'done' || (phase === 'failed' && code === 'items_all_failed');",
    replace: "return phase === 'done' && code === 'never';",
    tests: ['src/pipelines/items/leftovers.db.test.ts'],
    title: 'are processed by a run that the cleanup starts',
  },
  {
    id: 'items.counted-beside-a-slice',
    file: 'src/pipelines/items/cleanup.ts',
    find: '      await holdClaims(tx, job);\n',
    replace: '',
    tests: [KEYSET_TEST],
    title: 'counts what a slice has just committed',
  },
  {
    id: 'items.key-of-the-claim',
    file: 'src/pipelines/items/process/idempotency-key.ts',
    find: 'const start = claims - attempts;',
    replace: 'const start = claims;',
    tests: [TRIES_TEST],
    title: 'asked about again because its worker died',
  },
  {
    id: 'items.key-of-the-first-row',
    file: 'src/pipelines/items/process/idempotency-key.ts',
    find: 'if (keys.length === 1 && only !== undefined) return only;',
    replace: 'if (only !== undefined) return only;',
    tests: [TRIES_TEST],
    title: 'never taken for one about others',
  },
  {
    id: 'items.given-back-begins-another-try',
    file: 'src/pipelines/items/sql/claim-items.ts',
    find: "set status = 'PENDING', next_attempt_at = engine.now(), locked_by = null",
    replace: "set status = 'PENDING', attempts = attempts - 1, next_attempt_at = engine.now(), locked_by = null",
    tests: [TRIES_TEST],
    title: 'given back while it is asked about keeps its key',
  },
  {
    id: 'items.answers-without-bound',
    file: 'src/pipelines/items/process/gathered-results.ts',
    find: 'return this.#bytes >= this.#most;',
    replace: 'return this.#bytes < 0;',
    tests: ['src/pipelines/items/big-answers.db.test.ts'],
    title: 'answers are committed as soon as',
  },
];
