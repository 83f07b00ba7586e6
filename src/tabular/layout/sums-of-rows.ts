// Whether rows are the sums of others, measure by measure, and how unlikely it is that they are so by chance.
import type { ColumnReading } from '../reading.ts';
import type { NumberStyle } from '../values/number-style.ts';
import { parseNumber } from '../values/parse-number.ts';
import type { SampleRow } from './sample-row.ts';

export interface Measures {
  readonly columns: readonly number[];
  /** By row, then by measure; null where there is none. */
  readonly values: readonly (readonly (number | null)[])[];
  /** By measure: what a step of its last digit is. */
  readonly units: readonly number[];
}

export interface Proof {
  /** Enough beside a label that says so. */
  readonly isLikely: boolean;
  /** No chance does it. */
  readonly isSure: boolean;
  /** Every total is at least as large as each of the parts, which two or more have a share in. */
  readonly isLarger: boolean;
  readonly says: string;
}

const numeric = new Set(['integer', 'decimal', 'money']);
/** Digits that agree: one is a hint beside a label, eight are no chance. */
const LIKELY_DIGITS = 1;
const SURE_DIGITS = 8;
const MOST = 0.9;
const MANY_PARTS = 4;
/** Whole numbers from here on may be rounded sums. */
const ROUNDED_FROM = 1_000;

export function measuresOf(
  rows: readonly SampleRow[],
  columns: readonly ColumnReading[],
  style: NumberStyle,
  without: readonly number[],
): Measures {
  const of = columns
    .filter(({ kind, index }) => numeric.has(kind) && !without.includes(index))
    .map(({ index }) => index);
  const values = rows.map(({ cells }) =>
    of.map((column) => {
      const parsed = parseNumber(cells[column] ?? '', style);
      return parsed.kind === 'value' ? Number(parsed.value) : null;
    }),
  );
  const units = of.map((column) => {
    const decimals = rows.map(({ cells }) => decimalsOf(cells[column] ?? '', style));
    return 10 ** -Math.max(0, ...decimals);
  });
  return { columns: of, values, units };
}

function decimalsOf(text: string, { decimal }: NumberStyle): number {
  const at = text.lastIndexOf(decimal);
  return at === -1 ? 0 : Math.min(6, /^\d*/.exec(text.slice(at + 1))?.[0].length ?? 0);
}

/** Adds up groups of totals and their parts. */
export class ProofOfSums {
  readonly #measures: Measures;
  readonly #agreeing: number[];
  readonly #differing: number[];
  readonly #digits: number[];
  #groups = 0;
  #agreeingGroups = 0;
  #mostParts = 0;
  #larger = 0;
  #shared = 0;

  constructor(measures: Measures) {
    this.#measures = measures;
    this.#agreeing = measures.columns.map(() => 0);
    this.#differing = measures.columns.map(() => 0);
    this.#digits = measures.columns.map(() => 0);
  }

  /** Indexes of rows. */
  add(totals: readonly number[], parts: readonly number[]): void {
    if (parts.length === 0) return;
    this.#groups++;
    let isLarger = true;
    let isShared = false;
    let agrees = 0;
    let measured = 0;
    for (const [measure, unit] of this.#measures.units.entries()) {
      const total = this.#sumOf(totals, measure);
      const values = parts.flatMap((row) => this.#measures.values[row]?.[measure] ?? []);
      if (total === null || values.length === 0) continue;
      if (total < Math.max(...values) - unit / 2) isLarger = false;
      const filled = values.filter((value) => value !== 0).length;
      if (filled < 2) continue;
      isShared = true;
      measured++;
      const sum = values.reduce((all, value) => all + value, 0);
      if (Math.abs(sum - total) > toleranceOf(total, values.length + 1, unit)) this.#count(this.#differing, measure);
      else {
        agrees++;
        this.#count(this.#agreeing, measure);
        this.#digits[measure] = (this.#digits[measure] ?? 0) + Math.log10(Math.max(1, Math.abs(total) / unit));
      }
    }
    if (agrees > 0 && agrees * 2 >= measured) {
      this.#agreeingGroups++;
      this.#mostParts = Math.max(this.#mostParts, parts.length);
    }
    if (isLarger) this.#larger++;
    if (isShared) this.#shared++;
  }

  get result(): Proof {
    const measured = this.#measures.columns
      .map((_, i) => i)
      .filter((i) => this.#at(this.#agreeing, i) + this.#at(this.#differing, i) > 0);
    const agreeing = measured.filter(
      (i) => this.#at(this.#agreeing, i) >= MOST * (this.#at(this.#agreeing, i) + this.#at(this.#differing, i)),
    );
    const digits = agreeing.reduce((sum, i) => sum + this.#at(this.#digits, i), 0);
    const times = agreeing.reduce((sum, i) => sum + this.#at(this.#agreeing, i), 0);
    return {
      isLikely: agreeing.length > 0 && digits >= LIKELY_DIGITS,
      // Of three numbers one is easily the sum of the others.
      isSure:
        (this.#agreeingGroups >= 2 || this.#mostParts >= MANY_PARTS) &&
        agreeing.length * 2 >= measured.length &&
        times >= 2 &&
        digits >= SURE_DIGITS,
      isLarger: this.#shared > 0 && this.#larger >= this.#groups * MOST,
      says:
        agreeing.length > 0
          ? 'add up the others with the same texts'
          : 'are no smaller than any of the others with the same texts',
    };
  }

  #sumOf(rows: readonly number[], measure: number): number | null {
    let sum: number | null = null;
    for (const row of rows) {
      const value = this.#measures.values[row]?.[measure] ?? null;
      if (value !== null) sum = (sum ?? 0) + value;
    }
    return sum;
  }

  #at(counts: readonly number[], measure: number): number {
    return counts[measure] ?? 0;
  }

  #count(counts: number[], measure: number): void {
    counts[measure] = (counts[measure] ?? 0) + 1;
  }
}

/** Decimals of parts are rounded; small whole numbers are not. */
export function toleranceOf(total: number, terms: number, unit: number): number {
  if (unit >= 1 && Math.abs(total) < ROUNDED_FROM * terms) return 0.001;
  return 0.5 * unit * terms + 1e-9 * Math.abs(total);
}

/** Whether a measure of a row is the sum of all rows; also where there are no measures to compare. */
export function addsUp(
  row: SampleRow,
  rows: readonly SampleRow[],
  { columns, style }: { readonly columns: readonly ColumnReading[]; readonly style: NumberStyle },
): boolean {
  const { values, units } = measuresOf([row, ...rows], columns, style, []);
  const [own = [], ...others] = values;
  const compared = units.map((unit, measure) => {
    const total = own[measure] ?? null;
    const terms = others.flatMap((of) => of[measure] ?? []);
    if (total === null || total === 0 || terms.length < 2) return null;
    return Math.abs(terms.reduce((sum, term) => sum + term, 0) - total) <= toleranceOf(total, terms.length + 1, unit);
  });
  return compared.includes(true) || !compared.includes(false);
}
