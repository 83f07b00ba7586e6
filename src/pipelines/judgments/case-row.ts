// From the fields of a row to a case as it is staged. Everything that is wrong with the row is said at once.

import { storableText } from '../../platform/storable-text.ts';
import type { ColumnMapping } from '../../tabular/mapping/mapping.ts';
import type { RowBatch } from '../../tabular/row-batch.ts';
import type { IssuePlace, RowIssue } from '../../tabular/validation/row-issue.ts';
import type { ParsedRow, RowParser } from '../../tabular/validation/row-parser.ts';
import { checkRules } from '../../tabular/validation/rules.ts';
import { columnBit } from './column-policy.ts';
import { type PlaintiffKeys, plaintiffKeys } from './plaintiff-keys.ts';
import { judgmentRules } from './rules.ts';

export interface CaseRow {
  readonly caseNumber: string;
  /** As it is written in the file. */
  readonly county: string | null;
  /** Which county that is, however it is written. */
  readonly countyKey: string | null;
  readonly plaintiffName: string | null;
  readonly defendantName: string | null;
  readonly amount: string | null;
  readonly filingDate: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: string | null;
  readonly keys: PlaintiffKeys;
  /** Bits of the columns that hold the null token. */
  readonly cleared: number;
}

export interface JudgedRow {
  /** Null when an issue is an error. */
  readonly row: CaseRow | null;
  readonly issues: readonly RowIssue[];
}

/** Signs without width or with an effect on the direction of writing: two numbers that look the same must be the same. */
/** Blanks and everything that is no letter, digit or mark in a name. */
const punctuation = /[\s!-/:-@[-`{-~\u2010-\u205e]+/g;
const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const COUNTIES_REMEMBERED = 10_000;
const none: readonly number[] = [];
const noIssues: readonly RowIssue[] = [];

export class CaseReader {
  readonly #parser: RowParser;
  readonly #headers: ReadonlyMap<string, string>;
  readonly #columnOf: ReadonlyMap<number, string>;
  readonly #nullTokens: readonly string[];
  readonly #counties = new Map<string, County>();

  constructor(parser: RowParser, columns: readonly ColumnMapping[], nullTokens: readonly string[]) {
    const mapped = columns.flatMap(({ field, header, column }) => (field === null ? [] : [{ field, header, column }]));
    this.#parser = parser;
    this.#headers = new Map(mapped.map(({ field, header }) => [field, header]));
    this.#columnOf = new Map(mapped.map(({ field, column }) => [column, field]));
    this.#nullTokens = nullTokens;
  }

  read(batch: RowBatch, row: number): JudgedRow {
    const place = new RowPlace(batch, row);
    const cleared = this.#clearedIn(batch, row);
    return cleared.length === 0
      ? this.#judge(this.#parser.parse(batch, row), place, 0)
      : this.#withCleared(batch.texts(row), cleared, place);
  }

  /** The same for cells that come from elsewhere: a row that a person corrected. */
  readCells(cells: readonly string[], place: IssuePlace): JudgedRow {
    const cleared = [...this.#columnOf.keys()].filter((column) => this.#nullTokens.includes(cells[column] ?? ''));
    return this.#withCleared(cells, cleared, place);
  }

  #withCleared(cells: readonly string[], cleared: readonly number[], place: IssuePlace): JudgedRow {
    const bits = cleared.reduce((sum, column) => sum | columnBit(this.#columnOf.get(column) ?? ''), 0);
    return this.#judge(this.#parser.parseCells(without(cells, cleared), place), place, bits);
  }

  #judge({ values, issues: found }: ParsedRow, place: IssuePlace, cleared: number): JudgedRow {
    const caseNumber = canonicalCaseNumber(values.case_number ?? '');
    values.case_number = caseNumber === '' ? null : caseNumber;
    const broken = checkRules(judgmentRules, values, place);
    const issues =
      found.length + broken.length === 0 ? noIssues : [...found, ...broken].map((issue) => this.#underHeader(issue));
    if (caseNumber === '' || issues.some(({ severity }) => severity === 'error')) return { row: null, issues };
    const county = this.#county(values.county ?? null);
    const name = plainText(values.plaintiff_name);
    const email = plainText(values.email);
    const phone = plainText(values.phone);
    return {
      row: {
        caseNumber,
        county: county.written,
        countyKey: county.key,
        plaintiffName: name,
        defendantName: plainText(values.defendant_name),
        amount: values.judgment_amount ?? null,
        filingDate: values.filing_date ?? null,
        email,
        phone,
        address: plainText(values.address),
        keys: plaintiffKeys({ caseNumber, county: county.canonical, name, email, phone }),
        cleared,
      },
      issues,
    };
  }

  /** Columns whose cell is the null token. */
  #clearedIn(batch: RowBatch, row: number): readonly number[] {
    let found: number[] | null = null;
    for (const token of this.#nullTokens) {
      const first = token.charCodeAt(0);
      for (const column of this.#columnOf.keys()) {
        if (batch.firstCode(row, column) !== first || batch.text(row, column) !== token) continue;
        found ??= [];
        found.push(column);
      }
    }
    return found ?? none;
  }

  #county(text: string | null): County {
    if (text === null) return noCounty;
    const known = this.#counties.get(text);
    if (known !== undefined) return known;
    const county = readCounty(text);
    if (this.#counties.size < COUNTIES_REMEMBERED) this.#counties.set(text, county);
    return county;
  }

  /** Fields are ours; a person looks for the column by the name it has in the file. */
  #underHeader(issue: RowIssue): RowIssue {
    const header = issue.column === null ? undefined : this.#headers.get(issue.column);
    return header === undefined ? issue : { ...issue, column: header };
  }
}

function without(cells: readonly string[], columns: readonly number[]): string[] {
  return cells.map((cell, column) => (columns.includes(column) ? '' : cell));
}

/** Courts do not tell dockets apart by letter case, blanks or the width of a dash. */
export function canonicalCaseNumber(text: string): string {
  const plain = isPlain(text)
    ? text
    : text
        .normalize('NFKC')
        .replace(invisible, '')
        .replace(/[\u2010-\u2015\u2212]/g, '-');
  return (plain.includes(' ') ? plain.replace(/\s+/g, ' ').trim() : plain).toUpperCase();
}

interface County {
  readonly written: string | null;
  readonly key: string | null;
  readonly canonical: string | null;
}

const noCounty: County = { written: null, key: null, canonical: null };

function readCounty(text: string): County {
  const written = plainText(text.trim());
  return written === null || written === ''
    ? noCounty
    : { written, key: countyKey(text), canonical: canonicalCounty(text) };
}

/** "DeKalb", "De Kalb" and "DEKALB COUNTY" are one county; intake.county_key of the database says the same of rows it has to name. */
export function countyKey(text: string): string | null {
  const key = bareCounty(text).toLowerCase().replace(punctuation, '');
  return key === '' ? null : storableText(key);
}

function bareCounty(text: string): string {
  return text
    .normalize('NFKC')
    .replace(invisible, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<=.)[ ,]+(?:county|co\.)$/i, '');
}

/** What a plaintiff's key was made of before counties had keys of their own; it stays, so that known plaintiffs stay known. */
function canonicalCounty(text: string): string | null {
  const plain = bareCounty(text);
  if (plain === '') return null;
  const isShouted = plain === plain.toUpperCase() || plain === plain.toLowerCase();
  return storableText(isShouted ? titled(plain) : plain);
}

function titled(text: string): string {
  return text.toLowerCase().replace(/(?<![\p{L}\p{M}’'])\p{L}/gu, (letter) => letter.toUpperCase());
}

function plainText(text: string | null | undefined): string | null {
  if (text == null) return null;
  if (isPlain(text)) return text;
  return storableText(text.normalize('NFC'));
}

/** Printable ASCII, as most cells are. */
function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 || code > 126) return false;
  }
  return true;
}

/** Line and offset are looked up only for rows that have something to complain about. */
class RowPlace implements IssuePlace {
  readonly #batch: RowBatch;
  readonly #row: number;

  constructor(batch: RowBatch, row: number) {
    this.#batch = batch;
    this.#row = row;
  }

  get line(): number {
    return this.#batch.line(this.#row);
  }

  get offset(): number {
    return this.#batch.offset(this.#row);
  }
}
