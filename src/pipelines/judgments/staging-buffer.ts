// Cases on their way into staging: gathered column by column as binary arrays, handed over in one flush.
import { BinaryArray, rememberDays } from '../../platform/binary-array.ts';
import type { CaseRow } from './case-row.ts';

export interface RowPlace {
  readonly rowIndex: number;
  readonly line: number;
  readonly offset: number;
}

const DAYS_REMEMBERED = 20_000;
/** Forgotten when full: a plaintiff that is told twice is recognised twice, with the same result. */
const PLAINTIFFS_REMEMBERED = 50_000;

export class StagingBuffer {
  readonly #columns = stagingColumns();
  readonly #dayOf = rememberDays(DAYS_REMEMBERED);
  /** What the latest row with a key said of its plaintiff. */
  readonly #told = new Map<string, CaseRow>();

  get rows(): number {
    return this.#columns.rowIndex.length;
  }

  add(place: RowPlace, row: CaseRow): void {
    const columns = this.#columns;
    columns.rowIndex.pushInt4(place.rowIndex);
    columns.line.pushInt4(place.line);
    columns.offset.pushInt8(place.offset);
    columns.caseNumber.pushText(row.caseNumber);
    pushText(columns.county, row.county);
    pushText(columns.countyKey, row.countyKey);
    pushText(columns.plaintiff, row.plaintiffName);
    pushText(columns.defendant, row.defendantName);
    if (row.amount === null) columns.amount.pushNull();
    else columns.amount.pushNumeric(row.amount);
    if (row.filingDate === null) columns.filingDate.pushNull();
    else columns.filingDate.pushDay(this.#dayOf(row.filingDate));
    pushText(columns.email, row.email);
    pushText(columns.phone, row.phone);
    pushText(columns.address, row.address);
    pushText(columns.dedupeKey, row.keys.dedupeKey);
    pushText(columns.phoneKey, row.keys.phoneKey);
    pushText(columns.nameKey, row.keys.nameKey);
    columns.cleared.pushInt4(row.cleared);
    columns.tells.pushBool(this.#tells(row));
  }

  /** In the order of the statement's parameters; null when there is nothing. The buffer is empty afterwards. */
  take(): Buffer[] | null {
    return this.rows === 0 ? null : Object.values(this.#columns).map((column) => column.take());
  }

  /** Whether the row says of its plaintiff what the row before it with the same key did not. */
  #tells(row: CaseRow): boolean {
    const { dedupeKey: key } = row.keys;
    // A name alone makes a key of this one case, so nobody else has it.
    if (key === null || key.startsWith('name:') || key.startsWith('case:')) return key !== null;
    const told = this.#told.get(key);
    if (told !== undefined && saysSame(told, row)) return false;
    if (this.#told.size >= PLAINTIFFS_REMEMBERED) this.#told.clear();
    this.#told.set(key, row);
    return true;
  }
}

function stagingColumns() {
  return {
    rowIndex: new BinaryArray('int4'),
    line: new BinaryArray('int4'),
    offset: new BinaryArray('int8'),
    caseNumber: new BinaryArray('text'),
    county: new BinaryArray('text'),
    countyKey: new BinaryArray('text'),
    plaintiff: new BinaryArray('text'),
    defendant: new BinaryArray('text'),
    amount: new BinaryArray('numeric'),
    filingDate: new BinaryArray('date'),
    email: new BinaryArray('text'),
    phone: new BinaryArray('text'),
    address: new BinaryArray('text'),
    dedupeKey: new BinaryArray('text'),
    phoneKey: new BinaryArray('text'),
    nameKey: new BinaryArray('text'),
    cleared: new BinaryArray('int4'),
    tells: new BinaryArray('bool'),
  };
}

function pushText(column: BinaryArray, value: string | null): void {
  if (value === null) column.pushNull();
  else column.pushText(value);
}

function saysSame(a: CaseRow, b: CaseRow): boolean {
  return a.plaintiffName === b.plaintiffName && a.email === b.email && a.phone === b.phone && a.address === b.address;
}
