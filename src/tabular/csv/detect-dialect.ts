// Finds the delimiter, quote, escape and line end of a text. It tries every candidate on the sample with the real scanner and takes the one
// with which most rows have the same number of clean cells. Titles above and totals below the table hardly change the result.
import { type Decision, decided, weigh, weighed } from '../decision.ts';
import { defaultLimits } from '../limits.ts';
import type { Clue, Rival } from '../reading-evidence.ts';
import { CsvScanner } from './csv-scanner.ts';
import { delimitersOfSeveralSigns } from './delimiters-of-several-signs.ts';
import { commaDialect, type Dialect } from './dialect.ts';

const delimiters = [',', '\t', ';', '|', '^', '~', '\x1f', ':', ' '] as const;
/** Colons also stand in times and URLs, blanks in every text: they must do much better than the others to be believed. */
const weights: Readonly<Record<string, number>> = { ':': 0.4, '~': 0.8, '^': 0.8, ' ': 0.5 };
const names: Readonly<Record<string, string>> = {
  ',': 'commas',
  '\t': 'tabs',
  ';': 'semicolons',
  '|': 'bars',
  ' ': 'blanks',
};
/** Two words in every row are more likely a name than two columns. */
const MIN_BLANK_WIDTH = 3;
const SPACE = 32;
const MIN_ALIKE = 4;
const UNCLEAN_WHEN_ALIKE = 0.25;
/** The rival of a table of one column whose lines are set like columns. */
export const RUNS_OF_BLANKS = 'runs of blanks set its lines like columns';
const SAME_SIGN = 'every line holds';
/** Signs that part cells and hardly ever stand once in each of many texts, their names included. */
const otherSigns = [',', ';', '\t', '|', '^', '~', '§', '¦', '¬', 'þ', '·', '•', '│', '‖', '，', '；', '、', '\u001e'];
/** These stand in texts as well, and part cells where the names and all rows hold as many of them between other texts. */
const signsOfTexts = ['#', '!', '%', '*', '=', '&', '$', '@', '/', '\\', '`', '+', '£', '€', "'", '"'];
/** These hold words together: they part cells only where every line has two or more. */
const signsOfWords = ['-', '_', '.'];
const MOST_LINES = 0.8;
const ALL_BUT_FEW = 0.9;
const MAX_ROWS = 2_000;

/** The sign that all lines hold, if that is the rival of a table of one column. */
export function sameSignIn(rival: Rival): string | null {
  return rival.says.startsWith(SAME_SIGN) ? (/"(.)"/u.exec(rival.says)?.[1] ?? null) : null;
}

interface Trial {
  readonly dialect: Dialect;
  readonly score: number;
  readonly width: number;
  readonly share: number;
  readonly faults: number;
  readonly faultShare: number;
  /** Share of cells that still hold what looks like another delimiter or a quote. */
  readonly unclean: number;
  /** Share of cells behind a delimiter that start with a blank. */
  readonly blankStarts: number;
}

/**
 * `sample` is UTF-8 from the start of the file, cut at a line end unless it is the whole file. `chosen`: a delimiter that somebody names;
 * quotes, escapes and blanks are then found for it, as everywhere.
 */
export function detectDialect(sample: Buffer, chosen?: string): Decision<Dialect> {
  const base: Dialect = { ...commaDialect, lineEnd: detectLineEnd(sample) };
  const told = chosen ?? /^sep=([^\s"])\r?[\r\n]/i.exec(sample.toString('latin1', 0, 16))?.[1];
  const bytes = Buffer.concat([sample, Buffer.from('\n')]);
  const text = sample.toString('latin1');
  if (told !== undefined) {
    const { dialect } = refine(bytes, tryDelimiter(bytes, text, { ...base, delimiter: told }));
    return decided(dialect, 'exact', 'its first line names the delimiter');
  }
  const trials = delimiters.map((delimiter, at) => {
    const dialect = { ...base, delimiter };
    // A sign that does not occur parts nothing. The first one also stands for a table of one column.
    return at === 0 || bytes.includes(delimiter) ? tryDelimiter(bytes, text, dialect) : partsNothing(dialect, 1);
  });
  const best = trials.reduce(better);
  const several = trySeveralSigns(bytes, text, best);
  if (several !== null) return several;
  if (best.width < 2) return oneColumn(base, text);
  const refined = refine(bytes, best);
  const others = trials.filter(({ dialect }) => dialect.delimiter !== best.dialect.delimiter);
  return describe(refined, others.reduce(better));
}

/** `||`, `::`, `|~|`: where such a run parts the cells of nearly all rows and none of its signs is left in them, the single sign is a part of it. */
function trySeveralSigns(bytes: Buffer, text: string, best: Trial): Decision<Dialect> | null {
  const single = best.width < 2 ? null : best.dialect.delimiter;
  for (const delimiter of delimitersOfSeveralSigns(bytes.toString('utf8'), single)) {
    const { quote, ...dialect } = best.dialect;
    const trial = refine(bytes, tryDelimiter(bytes, text, { ...dialect, quote: quote ?? '"', delimiter }));
    if (trial.width < 2 || trial.share < ALL_BUT_FEW || trial.faultShare > best.faultShare) continue;
    // Colons also stand in times and addresses, blanks in all texts: of those only the names are without one.
    const rows = single === ' ' ? 0 : single === ':' ? 1 : MAX_ROWS;
    if (single !== null && holdsSign(bytes, trial.dialect, single, rows)) continue;
    return describe(trial, { ...best, score: 0 });
  }
  return null;
}

/** Whether a cell of the first rows that is not quoted holds the sign. */
function holdsSign(bytes: Buffer, dialect: Dialect, sign: string, rows: number): boolean {
  const scanner = new CsvScanner(dialect, { ...defaultLimits, maxRowBytes: bytes.length });
  scanner.scan(bytes, 0, bytes.length - 1, true, rows);
  for (let cell = 0; cell < scanner.cellCount; cell++) {
    const [start, end] = [scanner.cellStart[cell] as number, scanner.cellEnd[cell] as number];
    if (start > 0 && isQuote(bytes[start - 1]) && isQuote(bytes[end])) continue;
    if (bytes.subarray(start, end).includes(sign)) return true;
  }
  return false;
}

function oneColumn(base: Dialect, text: string): Decision<Dialect> {
  const decision = decided(base, 'guess', 'no delimiter was found: the table has one column');
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  if (lines.length < 2) return decision;
  const same = sameSign(Buffer.from(lines.join('\n'), 'latin1').toString('utf8').split('\n'));
  if (same !== null) {
    const says = `${SAME_SIGN} "${same.sign}" ${same.times === 1 ? 'once' : `${same.times} times`}, as cells that it separates would`;
    return { ...decision, evidence: { for: [], against: [says] }, rival: { says, certainty: 0.5 } };
  }
  const set = lines.filter((line) => /\S {2,}\S/.test(line)).length;
  if (set < lines.length * MOST_LINES) return decision;
  return {
    ...decision,
    evidence: { for: [], against: [`${set} of ${lines.length} lines have runs of blanks between texts`] },
    rival: { says: RUNS_OF_BLANKS, certainty: 0.5 },
  };
}

/** A sign that stands in every line as often as in the first one, which holds the names: lines quoted as wholes, or parted by another sign. */
function sameSign(lines: readonly string[]): { readonly sign: string; readonly times: number } | null {
  for (const sign of otherSigns) {
    const times = countOf(lines[0] ?? '', sign);
    if (times > 0 && lines.every((line) => countOf(line, sign) === times)) return { sign, times };
  }
  for (const sign of [...signsOfTexts, ...signsOfWords]) {
    const times = countInside(lines[0] ?? '', sign);
    if (times > Number(signsOfWords.includes(sign)) && lines.every((line) => countInside(line, sign) === times))
      return { sign, times };
  }
  return null;
}

/** Between two texts: "rate %" over "5 %" holds it in every line and parts nothing. */
function countInside(line: string, sign: string): number {
  const parts = line.split(sign);
  return parts.every((part) => part.trim() !== '') ? parts.length - 1 : 0;
}

function countOf(line: string, sign: string): number {
  return line.split(sign).length - 1;
}

function tryDelimiter(bytes: Buffer, text: string, dialect: Dialect): Trial {
  const isQuoted = hasSingleQuotes(text, dialect.delimiter);
  const tried = isQuoted
    ? [dialect, { ...dialect, quote: "'" }, { ...dialect, quote: "'", looseQuotes: true }]
    : [dialect];
  const trial = tried.map((each) => tryDialect(bytes, each)).reduce(better);
  return dialect.delimiter === ' ' ? tryBlanks(bytes, trial) : trial;
}

/** Columns set with blanks have runs of them; single blanks are taken as they are. */
function tryBlanks(bytes: Buffer, single: Trial): Trial {
  const runs = tryDialect(bytes, { ...single.dialect, repeats: true });
  const isSet = runs.width < single.width && runs.share >= single.share * 0.9;
  const trial = isSet ? runs : better(single, runs);
  return trial.width < MIN_BLANK_WIDTH || trial.share < 0.6 ? { ...trial, score: 0 } : trial;
}

function hasSingleQuotes(text: string, delimiter: string): boolean {
  const opens = text.includes(`${delimiter}'`) || text.includes("\n'") || text.startsWith("'");
  const closes = text.includes(`'${delimiter}`) || /'[\r\n]/.test(text);
  return opens && closes;
}

function describe(found: Trial, next: Trial): Decision<Dialect> {
  const { dialect, share, width, faultShare } = found;
  const sign = nameOf(dialect);
  const reason = `${Math.round(share * 100)} % of the rows have ${width} cells separated by ${sign}`;
  const closeness = found.score === 0 ? 1 : Math.min(1, next.score / found.score);
  const clues: Clue[] = [{ says: reason, weight: (share - 0.35) * 8 }];
  if (faultShare > 0)
    clues.push({ says: `quotes break ${Math.round(faultShare * 100)} % of the rows`, weight: -faultShare * 6 });
  if (found.unclean > 0.02) {
    const percent = Math.round(found.unclean * 100);
    clues.push({
      says: `${percent} % of the cells still hold a quote or another delimiter`,
      weight: -found.unclean * 4,
    });
  }
  const says = `${nameOf(next.dialect)} would give ${next.width} cells in ${Math.round(next.share * 100)} % of the rows`;
  if (closeness > 0.5) clues.push({ says, weight: -4 * (closeness - 0.5) });
  const rival = next.width < 2 || closeness < 0.5 ? null : { says, certainty: weigh(clues).certainty * closeness };
  return weighed(dialect, clues, rival, reason);
}

function nameOf({ delimiter }: Dialect): string {
  return names[delimiter] ?? `"${delimiter}"`;
}

function better(a: Trial, b: Trial): Trial {
  return b.score > a.score + 1e-9 ? b : a;
}

/** Other quotes and escapes that the sample gives reason to try; each must beat the plain one. */
function refine(bytes: Buffer, best: Trial): Trial {
  const refined = refinements(bytes, best)
    .map((dialect) => tryDialect(bytes, dialect))
    .reduce(better, best);
  // Quotes that other text follows: read as text only where that makes whole rows of more than one broken one.
  const loose =
    refined.faults < 2 ? refined : better(refined, tryDialect(bytes, { ...refined.dialect, looseQuotes: true }));
  if (loose.blankStarts < 0.95 || loose.dialect.delimiter === ' ') return loose;
  return tryDialect(bytes, { ...loose.dialect, dropsBlanks: true, skipSpace: true });
}

function refinements(bytes: Buffer, { dialect, faultShare }: Trial): Dialect[] {
  const text = bytes.toString('latin1');
  const tried: Dialect[] = [];
  if (text.includes('\\"')) tried.push({ ...dialect, escape: 'backslash' });
  if (text.includes(`${dialect.delimiter} "`)) tried.push({ ...dialect, skipSpace: true });
  // Quotes that are mere text (inches, say) break many rows; a few broken rows are better refused one by one.
  if (faultShare > 0.3) tried.push({ ...dialect, quote: null });
  if (dialect.quote === "'" && text.includes("\\'"))
    tried.push({ ...dialect, escape: 'backslash', looseQuotes: false });
  return tried;
}

function partsNothing(dialect: Dialect, width: number): Trial {
  return { dialect, score: 0, width, share: 0, faults: 0, faultShare: 0, unclean: 0, blankStarts: 0 };
}

function tryDialect(bytes: Buffer, dialect: Dialect): Trial {
  const scanner = new CsvScanner(dialect, { ...defaultLimits, maxRowBytes: bytes.length });
  try {
    scanner.scan(bytes, 0, bytes.length - 1, true, MAX_ROWS);
  } catch {
    return partsNothing(dialect, 0);
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
  const unclean = uncleanShare(bytes, scanner, dialect);
  // Where every line has the same cells, names included, what else stands in them is text: "1,a;b" below "id,tags".
  const cleanness = 1 - unclean * (share === 1 && rows >= MIN_ALIKE ? UNCLEAN_WHEN_ALIKE : 1);
  const score = width < 2 ? 0 : share * (1 - 1 / width ** 2) * cleanness * (1 - faults / rows) * weight;
  const faultShare = rows === 0 ? 0 : faults / rows;
  return { dialect, score, width, share, faults, faultShare, unclean, blankStarts: blankStarts(bytes, scanner) };
}

function blankStarts(bytes: Buffer, scanner: CsvScanner): number {
  let cells = 0;
  let blanks = 0;
  for (let row = 0; row < scanner.rowCount; row++) {
    if (scanner.rowFault[row] !== 0) continue;
    const end = scanner.rowFirstCell[row + 1] as number;
    for (let cell = (scanner.rowFirstCell[row] as number) + 1; cell < end; cell++) {
      const start = scanner.cellStart[cell] as number;
      if (start >= (scanner.cellEnd[cell] as number)) continue;
      cells++;
      // A quoted cell starts behind its quote, and blanks before that are gone already.
      if (bytes[start] === SPACE || (isQuote(bytes[start - 1]) && bytes[start - 2] === SPACE)) blanks++;
    }
  }
  return cells < 2 ? 0 : blanks / cells;
}

/** Share of cells that still contain what looks like another delimiter or a stray quote at their edge. */
function uncleanShare(bytes: Buffer, scanner: CsvScanner, { delimiter }: Dialect): number {
  let unclean = 0;
  for (let cell = 0; cell < scanner.cellCount; cell++) {
    const start = scanner.cellStart[cell] as number;
    const end = scanner.cellEnd[cell] as number;
    const wasQuoted = start > 0 && isQuote(bytes[start - 1]) && isQuote(bytes[end]);
    if (wasQuoted || start === end) continue;
    const endsAsList = delimiter === ' ' && (bytes[end - 1] === 44 || bytes[end - 1] === 59);
    if (holdsOther(bytes, start, end) || endsAsList || isQuote(bytes[start]) || isQuote(bytes[end - 1])) unclean++;
  }
  return scanner.cellCount === 0 ? 0 : unclean / scanner.cellCount;
}

/** A semicolon, a tab or a bar. */
function holdsOther(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte === 59 || byte === 9 || byte === 124) return true;
  }
  return false;
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
