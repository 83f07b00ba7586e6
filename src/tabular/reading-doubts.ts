// The decisions of a reading that have evidence against them, as questions with their answers. They are found in the sample; the reader of
// the rows counts what appears later. A doubt says nothing about what should happen: that is for the pipeline and its caller.
import { RUNS_OF_BLANKS, sameSignIn } from './csv/detect-dialect.ts';
import type { Decision } from './decision.ts';
import { mixedDoubt } from './doubt-of-delimiters.ts';
import { groupDoubts } from './doubts-of-groups.ts';
import type { BesideSpan } from './json/json-scanner.ts';
import { isYear } from './layout/cell-traits.ts';
import type { ColumnFit } from './layout/fit-columns.ts';
import type { Groups } from './layout/groups.ts';
import type { MixedDelimiters } from './layout/mixed-delimiters.ts';
import { isRuleRow } from './layout/rules-between-rows.ts';
import type { SideTable } from './layout/side-tables.ts';
import { isValueShape, shapeOf } from './layout/value-shape.ts';
import type { Reading, ReadingDoubt } from './reading.ts';
import type { Evidence } from './reading-evidence.ts';
import type { DoublyEncoded } from './text/mis-encoded.ts';
import type { OtherSheet } from './xlsx/spreadsheet-messages.ts';

const MAX_LINES = 10;
const MIN_SHEET_ROWS = 3;
const MIN_TABLE_WIDTH = 3;
const MIN_TABLE_LINES = 3;
/** From here on the row below the names is more likely names itself than a row. */
const LIKE_NAMES = 0.75;
const SURELY_NAMES = 0.98;
/** Where these part nothing, each line is quoted as a whole. */
const wholeLineSigns: ReadonlySet<string> = new Set([',', ';', '\t', '|', '^', '~']);
const noEvidence: Evidence = { for: [], against: [] };

/** What the file holds beside the table that is read. */
interface Beside {
  readonly otherLists?: readonly BesideSpan[];
  readonly otherSheets?: readonly OtherSheet[];
  readonly sideTables?: readonly SideTable[];
  readonly groups?: Groups;
  readonly mixed?: MixedDelimiters | null;
  readonly doublyEncoded?: DoublyEncoded | null;
}

/** `rows`: how many rows of data the sample holds. */
export function readingDoubts(reading: Reading, fit: ColumnFit, rows: number, beside: Beside = {}): ReadingDoubt[] {
  const { otherLists = [], otherSheets = [], sideTables = [], groups, mixed = null, doublyEncoded = null } = beside;
  return [
    ...sheetDoubts(reading, otherSheets),
    ...hiddenSheetDoubts(reading, otherSheets),
    ...otherLists.map((list) => otherListDoubt(reading, list)),
    ...otherTableDoubts(reading),
    ...sideTables.map((table) => sideTableDoubt(reading, table)),
    ...(groups === undefined ? [] : groupDoubts(reading, groups)),
    ...headerDoubts(reading, rows),
    ...widthDoubts(reading, fit),
    ...setAsideDoubts(reading),
    ...(mixed === null ? [] : [mixedDoubt(reading, mixed)]),
    ...dialectDoubts(reading, rows),
    ...encodingDoubts(reading, rows),
    ...(doublyEncoded === null ? [] : [twiceDoubt(doublyEncoded)]),
    ...numberDoubts(reading, rows),
    ...scaleDoubts(reading, rows),
  ];
}

function otherTableDoubts({ otherTables = [], header }: Reading): ReadingDoubt[] {
  const decided = { label: 'Read the table as it was found', overrides: { headerLines: header.value.lines } };
  return otherTables.map(({ fromLine, toLine, names, rows }) => {
    const place = toLine === null ? `from line ${fromLine} on` : `on lines ${fromLine} to ${toLine}`;
    const told = names.slice(0, 5).join(', ');
    return {
      code: 'other_table',
      message: `There is a second table ${place}: ${rows} rows under ${told}. It is not read.`,
      evidence: { for: ['it has names and rows of its own', 'a blank line separates it from the rest'], against: [] },
      rowsAtStake: rows,
      lines: [fromLine],
      holds: true,
      answers: [
        decided,
        { label: `Read the table on line ${fromLine} instead`, overrides: { headerLines: [fromLine] } },
      ],
    };
  });
}

/** Held where something shows that the columns belong to two tables: then each row would be glued to one it has nothing to do with. */
function sideTableDoubt({ header }: Reading, { fromColumn, names, rows, proofs }: SideTable): ReadingDoubt {
  const told = names.slice(0, 5).join(', ');
  return {
    code: 'other_table',
    message: `A second table may stand beside the first, from column ${fromColumn + 1} on: ${rows} rows under ${told}. The lines are read as rows of one table.`,
    evidence: {
      for: ['the names are on one line'],
      against: ['a column without name and values separates them', ...proofs],
    },
    rowsAtStake: rows,
    lines: header.value.lines.slice(0, MAX_LINES),
    ...(proofs.length === 0 ? {} : { holds: true }),
    answers: [{ label: 'Read the lines as rows of one table', overrides: {} }],
  };
}

/** Sheets that hold a table, too. Which one is meant was the user's to say, if he said so. */
function sheetDoubts({ sheet }: Reading, others: readonly OtherSheet[]): ReadingDoubt[] {
  // Two rows of three cells are names with a row of values; two of two cells are a remark.
  const tables = others.filter(
    ({ rows, cells, isHidden }) =>
      !isHidden && ((rows >= MIN_SHEET_ROWS && cells >= rows * 2) || (rows === 2 && cells >= 6)),
  );
  if (sheet === undefined || isChosen(sheet) || tables.length === 0) return [];
  const names = tables.map(({ name }) => `"${name}"`).join(', ');
  return [
    {
      code: 'sheet_doubtful',
      message: `The sheet "${sheet.value.name}" is read because ${sheet.reason}; ${names} hold tables as well.`,
      evidence: { for: [sheet.reason], against: tables.map(({ name, rows }) => `"${name}" has ${rows} rows or more`) },
      rowsAtStake: tables.reduce((sum, { rows }) => sum + rows, 0),
      lines: [],
      holds: true,
      answers: [sheet.value, ...tables].map(({ name }) => ({ label: `Read "${name}"`, overrides: { sheet: name } })),
    },
  ];
}

/** Nobody who looks at the workbook sees them, so nothing waits for an answer; what is read or left out is said all the same. */
function hiddenSheetDoubts({ sheet }: Reading, others: readonly OtherSheet[]): ReadingDoubt[] {
  if (sheet === undefined) return [];
  const { name, names } = sheet.value;
  const hidden = others.filter(({ isHidden, rows, cells }) => isHidden && rows > 0 && cells > 0);
  const told: string[] = [];
  if (!names.includes(name)) told.push(`The sheet "${name}", which is read, is hidden in the workbook.`);
  if (hidden.length > 0)
    told.push(`The workbook hides ${hidden.map((other) => `"${other.name}"`).join(', ')}; nothing of that is read.`);
  if (told.length === 0) return [];
  return [
    {
      code: 'workbook_hides_sheets',
      message: told.join(' '),
      evidence: { for: [sheet.reason], against: ['the workbook does not show all of its sheets'] },
      rowsAtStake: hidden.reduce((sum, { rows }) => sum + rows, 0),
      lines: [],
      answers: [name, ...hidden.map((other) => other.name)].map((sheet) => ({
        label: `Read "${sheet}"`,
        overrides: { sheet },
      })),
    },
  ];
}

function otherListDoubt({ recordsKey }: Reading, { key, rows, objects, line, text }: BesideSpan): ReadingDoubt {
  const name = key === null ? 'A second list follows the first one' : `There is another list under "${key}"`;
  const other = key === null ? [] : [{ label: `Read the list under "${key}" instead`, overrides: { recordsKey: key } }];
  return {
    code: 'other_table',
    message: `${name}, on line ${line}, with ${rows} records. It is not read.`,
    evidence: { for: [recordsKey?.reason ?? 'it comes first'], against: [`${rows} records are next to it: ${text}`] },
    rowsAtStake: rows,
    lines: [line],
    holds: objects > 0,
    answers: [
      { label: 'Read the list as it was found', overrides: { recordsKey: recordsKey?.value ?? null } },
      ...other,
    ],
  };
}

function headerDoubts({ header, preamble, format }: Reading, rows: number): ReadingDoubt[] {
  if (format === 'json' || format === 'ndjson' || isChosen(header)) return [];
  const { lines } = header.value;
  const rivalLine = Number(/^line (\d+)/.exec(header.rival?.says ?? '')?.[1] ?? Number.NaN);
  const other = Number.isNaN(rivalLine)
    ? []
    : [{ label: `Line ${rivalLine} holds the names`, overrides: { headerLines: [rivalLine] } }];
  if (lines.length === 0) {
    return [
      {
        code: 'no_header',
        message: `No names of columns were found: ${header.reason}. Every row is read as data.`,
        evidence: header.evidence ?? noEvidence,
        rowsAtStake: rows,
        lines: [],
        answers: [{ label: 'There are no names', overrides: { headerLines: [] } }, ...other],
      },
    ];
  }
  const against = headerRivals(header, preamble, rivalLine);
  if (header.confidence !== 'guess' && against.length === 0) return [];
  const why = against[0] ?? header.reason;
  const evidence = header.evidence ?? noEvidence;
  return [
    {
      code: 'header_doubtful',
      message: `Line ${lines.join(', ')} was taken for the names of the columns, and that is not certain: ${why}.`,
      evidence: { ...evidence, against: [...evidence.against, ...against] },
      rowsAtStake: 1,
      lines: lines.slice(0, MAX_LINES),
      // Then the names are incomplete, and some of them would be stored as a row.
      ...(isNamesBelow(header, rivalLine) && (header.rival?.certainty ?? 0) >= SURELY_NAMES ? { holds: true } : {}),
      answers: [
        { label: `Line ${lines.join(', ')} holds the names`, overrides: { headerLines: lines } },
        ...other,
        { label: 'There are no names', overrides: { headerLines: [] } },
      ],
    },
  ];
}

/** What stands right around the names and may belong to them. */
function headerRivals(header: Reading['header'], preamble: Reading['preamble'], rivalLine: number): string[] {
  const { value } = header;
  const against: string[] = [];
  if (isNamesBelow(header, rivalLine)) against.push(`line ${rivalLine} below it reads like names, too`);
  const above = preamble.find(({ line }) => line === Math.min(...value.lines) - 1);
  const hasTwins = new Set(value.names).size < value.names.length;
  if (hasTwins && above !== undefined && above.text.split(' · ').length > 1)
    against.push(`some of its names are equal, and line ${above.line} above it may tell them apart`);
  return against;
}

function isNamesBelow({ value, rival }: Reading['header'], rivalLine: number): boolean {
  return rivalLine === Math.max(...value.lines) + 1 && (rival?.certainty ?? 0) >= LIKE_NAMES;
}

function widthDoubts(reading: Reading, fit: ColumnFit): ReadingDoubt[] {
  const { header, shortRows, format, dialect } = reading;
  const doubts: ReadingDoubt[] = [];
  if (fit.unnamed > 0) {
    const where = fit.isUnnamedFirst ? 'before the first name' : 'after the last name';
    doubts.push({
      code: 'unnamed_columns',
      message: `${fit.wideRows} of the sampled rows are wider than the header; ${fit.unnamed} unnamed columns were added ${where}.`,
      evidence: {
        for: [`${fit.wideRows} rows have more cells than there are names`],
        against: ['the header does not name them'],
      },
      rowsAtStake: fit.wideRows,
      lines: header.value.lines.slice(0, MAX_LINES),
      // Numbers that count the rows shift nothing; but a blank also stands inside names, and then everything behind it is shifted.
      holds: !fit.isUnnamedFirst || dialect?.value.delimiter === ' ' || hasPartedNumbers(reading),
      answers: [{ label: 'Keep the unnamed columns', overrides: {} }],
    });
  }
  if (fit.paddedRows > 0 && shortRows === 'pad' && format === 'csv') {
    doubts.push({
      code: 'rows_padded',
      message: `${fit.paddedRows} of the sampled rows are shorter than the header; their last cells are read as empty.`,
      evidence: {
        for: ['most rows are short, or no row ends with an empty cell'],
        against: ['a short row may have been cut off'],
      },
      rowsAtStake: fit.paddedRows,
      lines: header.value.lines.slice(0, MAX_LINES),
      answers: [
        { label: 'Read the missing cells as empty', overrides: { shortRows: 'pad' } },
        { label: 'Refuse short rows', overrides: { shortRows: 'refuse' } },
      ],
    });
  }
  return doubts;
}

/** Two columns of whole numbers side by side, the second of one or two digits, between commas: "1,5" may be one number. */
function hasPartedNumbers({ columns, dialect }: Reading): boolean {
  const isWhole = (column: Reading['columns'][number] | undefined) => column?.kind === 'integer';
  const isShort = (column: Reading['columns'][number] | undefined) =>
    isWhole(column) && column?.examples.every((text) => /^\s*\d{1,2}\s*$/.test(text)) === true;
  return (
    dialect?.value.delimiter === ',' &&
    columns.some((column, index) => index > 0 && isWhole(column) && isShort(columns[index + 1]))
  );
}

/** Lines above the data that are as wide as its rows, or that are of one width among themselves, as the rows of a table are. */
function setAsideDoubts({ preamble, header }: Reading): ReadingDoubt[] {
  if (isChosen(header)) return [];
  const width = header.value.names.length;
  const lines = preamble
    .map(({ line, text }) => ({ line, texts: text.split(' · ') }))
    .filter(({ texts }) => !isRuleRow(texts))
    .map(({ line, texts }) => ({ line, texts, cells: texts.length }));
  // One line of words alone, with a blank one below it: "Report, all regions, 2020".
  const isTitle = (index: number) => {
    const { line, texts } = lines[index] as { readonly line: number; readonly texts: readonly string[] };
    const next = lines[index + 1]?.line ?? Math.min(...header.value.lines);
    const before = lines[index - 1]?.line ?? 0;
    return before < line - 1 + Number(index === 0) && next > line + 1 && !texts.some(isFigure);
  };
  const shaped = lines.filter(
    ({ cells }, index) => cells >= MIN_TABLE_WIDTH && (cells >= width || isInTable(lines, index)) && !isTitle(index),
  );
  if (shaped.length === 0) return [];
  return [
    {
      code: 'rows_set_aside',
      message: `${shaped.length} lines above the names have as many cells as rows have; they are not read.`,
      evidence: { for: ['they are above the names'], against: ['they are as wide as rows'] },
      rowsAtStake: shaped.length,
      lines: shaped.slice(0, MAX_LINES).map(({ line }) => line),
      holds: true,
      answers: [
        { label: 'Leave them out', overrides: { headerLines: header.value.lines } },
        { label: 'There are no names', overrides: { headerLines: [] } },
      ],
    },
  ];
}

/** A value that a title does not have: years are in many. */
function isFigure(text: string): boolean {
  return isValueShape(shapeOf(text)) && !isYear(text.trim());
}

/** Whether a line stands among three or more that have as many cells. */
function isInTable(lines: readonly { readonly cells: number }[], index: number): boolean {
  const { cells } = lines[index] as { readonly cells: number };
  let from = index;
  let to = index;
  while (lines[from - 1]?.cells === cells) from--;
  while (lines[to + 1]?.cells === cells) to++;
  return to - from + 1 >= MIN_TABLE_LINES;
}

function dialectDoubts({ dialect }: Reading, rows: number): ReadingDoubt[] {
  if (dialect === undefined || dialect.rival === undefined || dialect.confidence === 'exact') return [];
  const sign = sameSignIn(dialect.rival);
  return [
    {
      code: 'delimiter_doubtful',
      message: `How cells are separated is not certain: ${dialect.reason}; ${dialect.rival.says}.`,
      evidence: dialect.evidence ?? noEvidence,
      rowsAtStake: rows,
      lines: [],
      // One column where blanks or signs part several: every row would be stored as one text.
      holds: dialect.rival.says === RUNS_OF_BLANKS || sign !== null,
      answers: [
        { label: 'Read as it was found', overrides: { delimiter: dialect.value.delimiter } },
        ...(sign === null || wholeLineSigns.has(sign)
          ? []
          : [
              {
                label: `Separate the cells at "${sign}"`,
                overrides: { delimiter: sign, ...(sign === '"' ? { quote: null } : {}) },
              },
            ]),
      ],
    },
  ];
}

function encodingDoubts({ encoding }: Reading, rows: number): ReadingDoubt[] {
  if (encoding.confidence !== 'guess') return [];
  return [
    {
      code: 'encoding_doubtful',
      message: `The encoding was guessed as ${encoding.value.name}: ${encoding.reason}.`,
      evidence: encoding.evidence ?? noEvidence,
      rowsAtStake: rows,
      lines: [],
      answers: [{ label: `It is ${encoding.value.name}`, overrides: { encoding: encoding.value.name } }],
    },
  ];
}

/** The file is what it is: nothing is guessed, but names are hardly meant so. */
function twiceDoubt({ count, written, meant }: DoublyEncoded): ReadingDoubt {
  return {
    code: 'text_encoded_twice',
    message: `Texts seem to be encoded twice: "${written}" was probably meant as "${meant}". They are read unchanged; export the file again as UTF-8 to correct them.`,
    evidence: { for: ['the bytes are valid UTF-8'], against: [`${count} texts make sense when decoded once more`] },
    rowsAtStake: count,
    lines: [],
    answers: [{ label: 'Read the texts unchanged', overrides: {} }],
  };
}

/** Numbers of both styles, and some that fit both: "1.500" may be fifteen hundred or one and a half. */
function numberDoubts({ numbers }: Reading, rows: number): ReadingDoubt[] {
  if (numbers.rival === undefined && numbers.confidence === 'guess')
    return [
      {
        code: 'numbers_doubtful',
        message: `The decimal sign of the numbers was guessed: ${numbers.reason}.`,
        evidence: numbers.evidence ?? noEvidence,
        rowsAtStake: rows,
        lines: [],
        answers: [{ label: 'Read the numbers as they were found', overrides: { decimal: numbers.value.decimal } }],
      },
    ];
  if (numbers.rival === undefined) return [];
  const signs = numbers.value.decimal === '.' ? (['.', ','] as const) : ([',', '.'] as const);
  const names = { '.': 'a decimal point', ',': 'a decimal comma' };
  return [
    {
      code: 'numbers_doubtful',
      message: numbers.reason.startsWith('"')
        ? `Numbers may be written with thousands: ${numbers.reason}.`
        : `Numbers are written in two ways: ${numbers.reason}. They are read with ${names[signs[0]]}.`,
      evidence: numbers.evidence ?? noEvidence,
      rowsAtStake: rows,
      lines: [],
      holds: true,
      answers: signs.map((decimal) => ({ label: `Read numbers with ${names[decimal]}`, overrides: { decimal } })),
    },
  ];
}

const SCALE =
  /\b(?:in|en|em|di|x)\s+(?:\p{L}+\s+)?(?:thousands?|millions?|tausend|tsd|millionen|mio|milliers|millones|milhares|milhões|migliaia|milioni|duizenden|miljoenen)\b|[(\s](?:x\s?1[.,]?000|['’]?000s)\b|千円|百万円|单位[:：]\s*万/iu;

/** "All amounts in thousands" above the table: the numbers are read as they are written. */
function scaleDoubts({ preamble }: Reading, rows: number): ReadingDoubt[] {
  const title = preamble.find(({ text }) => SCALE.test(text));
  if (title === undefined) return [];
  return [
    {
      code: 'numbers_doubtful',
      message: `Line ${title.line} above the table says in what the numbers are told: "${title.text.slice(0, 100)}". They are read as they are written.`,
      evidence: { for: ['the cells say nothing of it'], against: [title.text.slice(0, 100)] },
      rowsAtStake: rows,
      lines: [title.line],
      holds: true,
      answers: [{ label: 'Read the numbers as they are written', overrides: {} }],
    },
  ];
}

function isChosen({ reason }: Decision<unknown>): boolean {
  return reason === 'chosen by the user';
}
