// Breaks of the accounting of rows and money, from the reader to the receipt and its recount.
import type { Break } from '../break.ts';

const TOTALS = 'src/pipelines/ads/control-totals.ts';
const TOTALS_TEST = 'src/pipelines/ads/control-totals.test.ts';
const STAGER = 'src/pipelines/ads/row-stager.ts';
const STAGER_TEST = 'src/pipelines/ads/row-stager.test.ts';
const PROMOTE_TEST = 'src/pipelines/ads/promote.db.test.ts';
const RECOUNT_TEST = 'src/pipelines/ads/recount.db.test.ts';
const CLASSIFIER = 'src/tabular/layout/row-classifier.ts';
const CLASSIFIER_TEST = 'src/tabular/layout/row-classifier.test.ts';
const RECEIPT_TEST = 'src/engine/receipt.test.ts';

export const tabularBreaks: readonly Break[] = [
  {
    id: 'tabular.total-drifts',
    file: TOTALS,
    find: 'const FLUSH_AT = 2 ** 50;',
    replace: 'const FLUSH_AT = 2 ** 64;',
    tests: [TOTALS_TEST],
    isQuick: true,
  },
  {
    id: 'tabular.total-forgets-the-checkpoint',
    file: TOTALS,
    find: 'decimalToScaled(sums[measure], this.#scale[i] ?? SCALE) ?? 0n);',
    replace: '0n * (decimalToScaled(sums[measure], this.#scale[i] ?? SCALE) ?? 0n));',
    tests: [TOTALS_TEST],
    isQuick: true,
  },
  {
    id: 'tabular.total-loses-decimals',
    file: TOTALS,
    find: 'if (decimals > scale) {',
    replace: 'if (decimals > scale + 9) {',
    tests: [TOTALS_TEST],
    isQuick: true,
  },
  {
    id: 'tabular.resumed-count-starts-anew',
    file: STAGER,
    find: 'this.#read = counts.read;',
    replace: 'this.#read = 0;',
    tests: [STAGER_TEST],
    isQuick: true,
  },
  {
    id: 'tabular.keys-before-the-crash-forgotten',
    file: STAGER,
    find: 'if (state !== freshState) this.#buffer.watch.giveUp();',
    replace: '',
    tests: [STAGER_TEST],
    isQuick: true,
  },
  {
    id: 'tabular.refused-line-not-counted',
    file: STAGER,
    find: 'this.#rejectedRows++;',
    replace: '',
    tests: ['src/pipelines/ads/bad-input.db.test.ts', PROMOTE_TEST],
  },
  {
    id: 'tabular.refused-money-not-counted',
    file: STAGER,
    find: 'this.#rejected.addRow(judged.measures);',
    replace: '',
    tests: [PROMOTE_TEST, RECOUNT_TEST],
  },
  {
    id: 'tabular.set-aside-lines-not-counted',
    file: STAGER,
    find: 'this.#setAsideLines++;',
    replace: '',
    tests: [PROMOTE_TEST, RECOUNT_TEST],
  },
  {
    id: 'tabular.gate-off-by-one',
    file: 'src/pipelines/ads/parse-counts.ts',
    find: 'counts.valid * 10 >= counts.read * 9',
    replace: 'counts.valid * 10 > counts.read * 9',
    tests: ['src/pipelines/ads/boundaries.db.test.ts', 'src/pipelines/ads/bad-input.db.test.ts'],
  },
  {
    id: 'tabular.row-refused-by-the-database-not-counted',
    file: 'src/pipelines/ads/receipt.ts',
    find: 'rejected: addToBucket(counts.rejected, promoted.rejected ?? emptyBucket),',
    replace: 'rejected: counts.rejected,',
    tests: [PROMOTE_TEST],
    title: 'whose row the database refuses',
  },
  {
    id: 'tabular.repeated-line-added-twice',
    file: 'src/pipelines/ads/sql/fold-duplicates.ts',
    find: "when copy > 1 then 'superseded'",
    replace: "when copy > 1 and not $2::boolean then 'merged'",
    tests: [PROMOTE_TEST],
    title: 'the same key twice',
  },
  {
    id: 'tabular.merged-money-forgotten',
    file: 'src/pipelines/ads/sql/fold-duplicates.ts',
    find: "merged('sum(spend)')",
    replace: "merged('max(spend)')",
    tests: [PROMOTE_TEST],
    title: 'segment',
  },
  {
    id: 'tabular.receipt-that-does-not-add-up',
    file: 'src/engine/receipt.ts',
    find: 'return receipt.read === accountedFor(receipt)',
    replace: 'return receipt.read >= accountedFor(receipt)',
    tests: [RECEIPT_TEST],
    isQuick: true,
  },
  {
    id: 'tabular.recount-ignores-what-is-missing',
    file: 'src/engine/receipt.ts',
    find: 'const names = new Set([...Object.keys(written.outcomes ?? {}), ...Object.keys(recounted.outcomes ?? {})]);',
    replace: 'const names = new Set(Object.keys(written.outcomes ?? {}));',
    tests: [RECEIPT_TEST],
    isQuick: true,
  },
  {
    id: 'tabular.total-row-counted-as-data',
    file: CLASSIFIER,
    find: "if (this.#isLabelledTotal(batch, row) || this.#isGroupTotal(batch, row)) return 'total';",
    replace: '',
    tests: [CLASSIFIER_TEST],
    isQuick: true,
  },
  {
    id: 'tabular.cut-row-called-a-note',
    file: CLASSIFIER,
    find: '      } else if (this.#isTrailing(batch, row) && this.#isNote(batch, row)) notes.push(row);',
    replace: "      } else if (this.#isTrailing(batch, row) && this.#isNote(batch, row)) batch.setKind(row, 'footer');",
    tests: [CLASSIFIER_TEST],
    isQuick: true,
  },
  {
    id: 'tabular.short-row-taken',
    file: CLASSIFIER,
    find: "if (!this.#padsShortRows) batch.setFault(row, 'row_too_short');",
    replace: '',
    tests: [CLASSIFIER_TEST, 'src/tabular/read-table.test.ts', 'src/tabular/csv/read-csv.test.ts'],
    isQuick: true,
  },
  {
    id: 'tabular.number-loses-its-sign',
    file: 'src/tabular/values/parse-number.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a template.
    find: "const value = stripped.isNegative && magnitude !== '0' ? `-${magnitude}` : magnitude;",
    replace: 'const value = magnitude;',
    tests: ['src/tabular/values/parse-number.test.ts'],
    isQuick: true,
  },
  {
    id: 'tabular.half-a-click',
    file: 'src/tabular/values/parse-number.ts',
    find: "parsed.kind === 'value' && parsed.value.includes('.') ? notWhole : parsed",
    replace: 'parsed',
    tests: ['src/tabular/values/parse-number.test.ts'],
    isQuick: true,
  },
  {
    id: 'tabular.import-forgets-repeated-cases',
    file: 'src/pipelines/judgments/import-state.ts',
    find: 'const all = { inserted, updated, unchanged, superseded, held_back: heldBack, rejected };',
    replace: 'const all = { inserted, updated, unchanged, held_back: heldBack, rejected, none: superseded * 0 };',
    tests: ['src/pipelines/judgments/import.db.test.ts'],
  },
];
