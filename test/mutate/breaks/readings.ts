// Breaks of what is said about a file: its bytes, its doubts and questions, its numbers; and of the API that takes it.
import type { Break } from '../break.ts';

const COUNTER = 'src/tabular/content-counter.ts';
const COUNTER_TEST = 'src/tabular/content-counter.test.ts';
const DOUBTS = 'src/tabular/doubt-question.ts';
const RECORDS = 'src/tabular/json/parse-record.ts';
const RECORDS_TEST = 'src/tabular/json/parse-record.test.ts';
const STRANGERS_TEST = 'src/tabular/unfamiliar-tables.test.ts';
const REQUESTS = 'src/http/plugins/readable-requests.ts';
const REQUESTS_TEST = 'src/http/readable-requests.db.test.ts';
const FORMAT = 'src/tabular/xlsx/cell-format.ts';
const FORMAT_TEST = 'src/tabular/xlsx/cell-format.test.ts';

export const readingBreaks: readonly Break[] = [
  {
    id: 'readings.resumed-reading-counts-the-start-again',
    file: COUNTER,
    find: 'this.#offset = offset;',
    replace: 'this.#offset = 0;',
    tests: [COUNTER_TEST],
  },
  {
    id: 'readings.structure-not-counted',
    file: COUNTER,
    find: "add(bytes, 'structure', batch.next.offset - this.#offset - counted);",
    replace: '',
    tests: [COUNTER_TEST],
  },
  {
    id: 'readings.receipt-leaves-bytes-out',
    file: 'src/engine/receipt.ts',
    find: ' && faultsOfContent(receipt.content).length === 0;',
    replace: ';',
    tests: ['src/engine/receipt.test.ts'],
  },
  {
    id: 'readings.recount-believes-the-tallies',
    file: 'src/engine/receipt.ts',
    find: 'if (written.content !== undefined) found.push(',
    replace: 'if (written.content === null) found.push(',
    tests: ['src/engine/receipt.test.ts'],
  },
  {
    id: 'readings.doubts-hold-nothing',
    file: DOUBTS,
    find: "if (holding.length === 0 || onDoubt === 'proceed') return null;",
    replace: 'if (holding.length >= 0) return null;',
    tests: ['src/pipelines/ads/http/ads-doubts.db.test.ts'],
  },
  {
    id: 'readings.sender-wants-a-failure-and-is-asked',
    file: DOUBTS,
    find: "return onDoubt === 'fail' ? refusal",
    replace: "return onDoubt === 'proceed' ? refusal",
    tests: ['src/pipelines/judgments/doubts.db.test.ts'],
  },
  {
    id: 'readings.unanswered-question-stays-open',
    file: 'src/engine/questions.ts',
    find: 'run_id: runId, code, text } of overdue)',
    replace: 'run_id: runId, code, text } of overdue.slice(1))',
    tests: ['src/engine/questions.db.test.ts'],
  },
  {
    id: 'readings.second-key-wins',
    file: RECORDS,
    find: 'if (values.has(name) || (',
    replace: 'if ((',
    tests: [RECORDS_TEST],
  },
  {
    id: 'readings.dotted-name-hides-another',
    file: RECORDS,
    find: 'this.#objects.add(name);\n      this.#object(',
    replace: 'this.#object(',
    tests: [RECORDS_TEST],
  },
  {
    id: 'readings.parts-found-by-letter-case',
    file: 'src/tabular/xlsx/zip-archive.ts',
    find: 'return name.toLowerCase();',
    replace: 'return name;',
    tests: ['src/tabular/xlsx/read-xlsx.test.ts', 'src/tabular/xlsx/hostile-workbooks.test.ts'],
  },
  {
    id: 'readings.lost-texts-are-empty',
    file: 'src/tabular/xlsx/sheet-rows.ts',
    find: 'if (text !== null) return text;',
    replace: "return text ?? '';",
    tests: ['src/tabular/xlsx/read-xlsx.test.ts'],
  },
  {
    id: 'readings.number-as-its-format-rounds-it',
    file: FORMAT,
    find: 'Math.max(format.decimals, decimalsOf(scaled))',
    replace: 'format.decimals',
    tests: [FORMAT_TEST],
    isQuick: true,
  },
  {
    id: 'readings.number-in-thousands',
    file: FORMAT,
    find: 'saysNumber(shown, number) ? shown : withAllDigits',
    replace: 'saysNumber(shown, number) || shown !== "" ? shown : withAllDigits',
    tests: [FORMAT_TEST],
    isQuick: true,
  },
  {
    id: 'readings.sheet-has-no-blank-rows',
    file: 'src/tabular/layout/sample-row.ts',
    find: 'row.line > before.line + 1 ?',
    replace: 'row.line > before.line + 1e9 ?',
    tests: [STRANGERS_TEST],
  },
  {
    id: 'readings.group-total-is-a-row',
    file: 'src/tabular/layout/row-classifier.ts',
    find: ' || this.#isGroupTotal(batch, row)',
    replace: '',
    tests: [STRANGERS_TEST],
  },
  {
    id: 'readings.whole-lines-as-one-text',
    file: 'src/tabular/csv/detect-dialect.ts',
    find: 'if (same !== null) {',
    replace: 'if (same === undefined) {',
    tests: [STRANGERS_TEST],
  },
  {
    id: 'readings.part-of-a-report-replaces-all',
    file: 'src/pipelines/ads/choose-grain.ts',
    find: 'await chooseWinners(tx, scope, contested);',
    replace: '',
    tests: ['src/pipelines/ads/http/ads-grains.db.test.ts'],
  },
  {
    id: 'readings.read-again-counts-twice',
    file: 'src/pipelines/ads/take-back.ts',
    find: 'if (rereadOf === null) return { days',
    replace: 'if (rereadOf !== undefined) return { days',
    tests: ['src/pipelines/ads/http/ads-grains.db.test.ts'],
  },
  {
    id: 'readings.client-nobody-knows',
    file: 'src/pipelines/ads/http/ads-handlers.ts',
    find: 'if (!isKnown) throw',
    replace: 'if (isKnown === undefined) throw',
    tests: ['src/pipelines/ads/http/ads-grains.db.test.ts'],
  },
  {
    id: 'readings.county-by-its-punctuation',
    file: 'src/pipelines/judgments/case-row.ts',
    find: ".toLowerCase().replace(punctuation, '');",
    replace: '.toLowerCase();',
    tests: ['src/pipelines/judgments/plaintiff-keys.test.ts'],
  },
  {
    id: 'readings.doubts-are-success-for-scripts',
    file: 'src/cli/runs/tail-run.ts',
    find: 'if (Object.keys(run.receipt?.doubts ?? {}).length > 0) return exitCodes.partial;',
    replace: '',
    tests: ['src/cli/runs/tail-run.test.ts'],
  },
  {
    id: 'readings.unstorable-text-let-in',
    file: REQUESTS,
    find: "requireStorable(withoutRows(request.body), 'body');",
    replace: '',
    tests: [REQUESTS_TEST],
  },
  {
    id: 'readings.unknown-parameter-ignored',
    file: REQUESTS,
    find: "refuseUnknownNames('query parameter', Object.keys(request.query as object), Object.keys(query?.shape ?? {}));",
    replace: 'void query;',
    tests: [REQUESTS_TEST],
  },
  {
    id: 'readings.no-hsts-behind-tls',
    file: 'src/http/plugins/security-headers.ts',
    find: "if (request.protocol === 'https') reply",
    replace: "if (request.hostname === '') reply",
    tests: [REQUESTS_TEST],
  },
  {
    id: 'readings.revoked-key-goes-on',
    file: 'src/access/authenticate.ts',
    find: 'keys.forget(rememberedAs(tenantId, id));',
    replace: '',
    tests: ['src/http/readable-requests.db.test.ts', 'src/http/app.db.test.ts'],
  },
  {
    id: 'readings.token-beyond-all-dates',
    file: 'src/access/tokens.ts',
    find: 'exp <= LAST_SECOND &&',
    replace: '',
    tests: ['src/access/tokens.test.ts'],
  },
  {
    id: 'readings.key-born-expired',
    file: 'src/http/routes/api-keys/create.ts',
    find: '<= Date.now())',
    replace: '<= 0)',
    tests: [REQUESTS_TEST],
  },
  {
    id: 'readings.one-time-password-works-twice',
    file: 'src/access/sql/update-user.ts',
    find: ' and must_change_password and one_time_used_at is null',
    replace: ' and must_change_password',
    tests: ['src/access/login.db.test.ts', 'src/http/app.db.test.ts'],
  },
];
