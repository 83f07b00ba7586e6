// Exact running sums of the measures a receipt must prove: spend, impressions, clicks. Plain JSON in between, so that a
// checkpoint carries them over a crash.
import { decimalToScaled, scaledToDecimal } from '../../tabular/values/decimal.ts';
import { measureIndex } from './normalize.ts';

export const controlMeasures = ['spend', 'impressions', 'clicks'] as const;
export type ControlMeasure = (typeof controlMeasures)[number];
/** Decimal text by measure. */
export type Sums = Readonly<Record<ControlMeasure, string>>;

export const noSums: Sums = { spend: '0', impressions: '0', clicks: '0' };

const indexes = controlMeasures.map(measureIndex);
/** Decimals kept while adding. Numbers with more are added exactly too, by the slow way. */
const SCALE = 6;
const POWERS = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];
/** Above this a float would no longer hold the integer exactly; it is emptied into a bigint before. */
const FLUSH_AT = 2 ** 50;

/** Adds up rows. Small numbers are added as floats that are exact integers; the rest as bigints. */
export class ControlTotals {
  readonly #fast = [0, 0, 0];
  readonly #exact: bigint[];
  readonly #scale: number[];
  readonly #told: boolean[];

  /** `told`: the measures that had a value in a row so far. */
  constructor(sums: Sums = noSums, told: readonly ControlMeasure[] = []) {
    this.#told = controlMeasures.map((measure) => told.includes(measure));
    this.#scale = controlMeasures.map((measure) => Math.max(SCALE, decimalsOf(sums[measure])));
    this.#exact = controlMeasures.map((measure, i) => decimalToScaled(sums[measure], this.#scale[i] ?? SCALE) ?? 0n);
  }

  addRow(values: readonly (string | null)[]): void {
    for (let i = 0; i < indexes.length; i++) {
      const value = values[indexes[i] as number];
      if (value == null) continue;
      this.#told[i] = true;
      this.#add(i, value);
    }
  }

  addSums(sums: Sums): void {
    for (let i = 0; i < indexes.length; i++) this.#addExact(i, sums[controlMeasures[i] as ControlMeasure]);
  }

  /** The measures that had a value in a row. The sum of the others is no number. */
  get told(): ControlMeasure[] {
    return controlMeasures.filter((_, i) => this.#told[i] === true);
  }

  toJSON(): Sums {
    const [spend = '0', impressions = '0', clicks = '0'] = controlMeasures.map((_, i) => {
      this.#flush(i);
      return scaledToDecimal(this.#exact[i] ?? 0n, this.#scale[i] ?? SCALE);
    });
    return { spend, impressions, clicks };
  }

  #add(i: number, value: string): void {
    const scaled = smallScaled(value);
    if (scaled === -1 || this.#scale[i] !== SCALE) {
      this.#addExact(i, value);
      return;
    }
    const sum = (this.#fast[i] ?? 0) + scaled;
    this.#fast[i] = sum;
    if (sum > FLUSH_AT) this.#flush(i);
  }

  #addExact(i: number, value: string): void {
    const decimals = decimalsOf(value);
    const scale = this.#scale[i] ?? SCALE;
    if (decimals > scale) {
      this.#flush(i);
      this.#exact[i] = (this.#exact[i] ?? 0n) * 10n ** BigInt(decimals - scale);
      this.#scale[i] = decimals;
    }
    this.#exact[i] = (this.#exact[i] ?? 0n) + (decimalToScaled(value, this.#scale[i] ?? SCALE) ?? 0n);
  }

  #flush(i: number): void {
    const fast = this.#fast[i] ?? 0;
    if (fast === 0) return;
    this.#exact[i] = (this.#exact[i] ?? 0n) + BigInt(fast) * 10n ** BigInt((this.#scale[i] ?? SCALE) - SCALE);
    this.#fast[i] = 0;
  }
}

/** Non-negative text of up to 9 digits and 6 decimals as millionths; -1 for anything else. */
function smallScaled(text: string): number {
  let value = 0;
  let decimals = -1;
  if (text.length > 15) return -1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 46 && decimals === -1) decimals = 0;
    else if (code < 48 || code > 57) return -1;
    else {
      if (decimals !== -1) decimals++;
      value = value * 10 + code - 48;
    }
  }
  const missing = SCALE - Math.max(0, decimals);
  if (missing < 0 || text.length - Math.max(0, decimals) > 10) return -1;
  return value * (POWERS[missing] as number);
}

export function decimalsOf(text: string): number {
  const point = text.indexOf('.');
  return point === -1 ? 0 : text.length - point - 1;
}
