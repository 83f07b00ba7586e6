// Which delimiter, quote, escape and line end a text uses. Every candidate is tried on the sample with the real scanner; the one
// under which most rows have the same number of clean cells wins. Titles above and totals below the table cost it little.
import { type Decision, decided } from '../decision.ts';
import { defaultLimits } from '../limits.ts';
import { CsvScanner } from './csv-scanner.ts';
import { commaDialect, type Dialect } from './dialect.ts';

const delimiters = [',', '\t', ';', '|', '^', '~', '\x1f', ':'] as const;
/** A colon also stands in times and URLs: it must do much better than the others to be believed. */
const weights: Readonly<Record<string, number>> = { ':': 0.4, '~': 0.8, '^': 0.8 };
const names: Readonly<Record<string, string>> = { ',': 'commas', '\t': 'tabs', ';': 'semicolons', '|': 'bars' };

interface Trial {
  readonly dialect: Dialect;
  readonly score: number;
  readonly width: number;
  readonly share: number;
  readonly faultShare: number;
}

/** `sample` is UTF-8 from the start of the file, cut at a line end unless it is the whole file. */
export function detectDialect(sample: Buffer): Decision<Dialect> {
  const base: Dialect = { ...commaDialect, lineEnd: detectLineEnd(sample) };
  const told = /^sep=([^\s"])\r?[\r\n]/i.exec(sample.toString('latin1', 0, 16))?.[1];
  if (told !== undefined) return decided({ ...base, delimiter: told }, 'exact', 'its first line names the delimiter');
  const bytes = Buffer.concat([sample, Buffer.from('\n')]);
  const best = delimiters.map((delimiter) => tryDialect(bytes, { ...base, delimiter })).reduce(better);
  if (best.width < 2) return decided(base, 'guess', 'no delimiter was found: the table has one column');
  const refined = refinements(sample, best)
    .map((dialect) => tryDialect(bytes, dialect))
    .reduce(better, best);
  const percent = Math.round(refined.share * 100);
  const sign = names[refined.dialect.delimiter] ?? `"${refined.dialect.delimiter}"`;
  const reason = `${percent} % of the rows have ${refined.width} cells separated by ${sign}`;
  return decided(refined.dialect, refined.share >= 0.8 ? 'exact' : refined.share >= 0.5 ? 'likely' : 'guess', reason);
}

function better(a: Trial, b: Trial): Trial {
  return b.score > a.score + 1e-9 ? b : a;
}

/** Other quotes and escapes that the sample gives reason to try; each must beat the plain one. */
function refinements(sample: Buffer, { dialect, faultShare }: Trial): Dialect[] {
  const text = sample.toString('latin1');
  const tried: Dialect[] = [];
  if (text.includes('\\"')) tried.push({ ...dialect, escape: 'backslash' });
  if (text.includes(`${dialect.delimiter} "`)) tried.push({ ...dialect, skipSpace: true });
  // Quotes that are mere text (inches, say) break many rows; a few broken rows are better refused one by one.
  if (faultShare > 0.3) tried.push({ ...dialect, quote: null });
  const hasApostrophes = text.includes(`${dialect.delimiter}'`) || text.includes("\n'");
  if (!text.includes('"') && hasApostrophes) tried.push({ ...dialect, quote: "'" });
  return tried;
}

function tryDialect(bytes: Buffer, dialect: Dialect): Trial {
  const scanner = new CsvScanner(dialect, { ...defaultLimits, maxRowBytes: bytes.length });
  try {
    scanner.scan(bytes, 0, bytes.length - 1, true, 2_000);
  } catch {
    return { dialect, score: 0, width: 0, share: 0, faultShare: 0 };
  }
  const widths = new Map<number, number>();
  let rows = 0;
  let faults = 0;
  for (let row = 0; row < scanner.rowCount; row++) {
    if (scanner.rowStart[row] === scanner.rowEnd[row]) continue;
    rows++;
    if (scanner.rowFault[row] !== 0) faults++;
    else {
      const width = (scanner.rowFirstCell[row + 1] as number) - (scanner.rowFirstCell[row] as number);
      widths.set(width, (widths.get(width) ?? 0) + 1);
    }
  }
  // The usual width of the rows that have more than one cell; titles have one.
  let width = 1;
  let count = 0;
  for (const [candidate, times] of widths) {
    if (candidate > 1 && times * candidate ** 0.25 > count * width ** 0.25) [width, count] = [candidate, times];
  }
  const share = rows === 0 ? 0 : count / rows;
  const weight = weights[dialect.delimiter] ?? 1;
  const score =
    width < 2 ? 0 : share * (1 - 1 / width ** 2) * (1 - uncleanShare(bytes, scanner)) * (1 - faults / rows) * weight;
  return { dialect, score, width, share, faultShare: rows === 0 ? 0 : faults / rows };
}

/** Share of cells that still contain what looks like another delimiter or a stray quote at their edge. */
function uncleanShare(bytes: Buffer, scanner: CsvScanner): number {
  let unclean = 0;
  for (let cell = 0; cell < scanner.cellCount; cell++) {
    const start = scanner.cellStart[cell] as number;
    const end = scanner.cellEnd[cell] as number;
    const wasQuoted = start > 0 && isQuote(bytes[start - 1]) && isQuote(bytes[end]);
    if (wasQuoted || start === end) continue;
    const hasOther = bytes.subarray(start, end).some((byte) => byte === 59 || byte === 9 || byte === 124);
    if (hasOther || isQuote(bytes[start]) || isQuote(bytes[end - 1])) unclean++;
  }
  return scanner.cellCount === 0 ? 0 : unclean / scanner.cellCount;
}

function isQuote(byte: number | undefined): boolean {
  return byte === 34 || byte === 39;
}

export function detectLineEnd(sample: Uint8Array): Dialect['lineEnd'] {
  let pairs = 0;
  let feeds = 0;
  let returns = 0;
  for (let i = 0; i < sample.length; i++) {
    if (sample[i] === 10) feeds++;
    else if (sample[i] === 13) {
      if (sample[i + 1] === 10) {
        pairs++;
        i++;
      } else if (i + 1 < sample.length) returns++;
    }
  }
  if (feeds === 0 && pairs === 0) return returns > 0 ? 'cr' : 'lf';
  if (returns > (feeds + pairs) * 0.1) return 'any';
  return pairs > feeds ? 'crlf' : 'lf';
}
