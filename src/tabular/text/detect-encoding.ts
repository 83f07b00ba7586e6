// Which encoding a text is in. Byte order marks and strict UTF-8 decide most files; a statistical detector judges the rest,
// whose answers are only taken when they decode cleanly and no other answer with different characters comes close. Otherwise the
// file is refused: a wrong name in the database is worse than a question to the user.
import { isAscii, isUtf8 } from 'node:buffer';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { type ByteSource, readSlice } from '../byte-source.ts';
import { type Decision, decided, weighed } from '../decision.ts';
import { canDecode, decodeText } from './decode-text.ts';
import { findHz, findUtf7 } from './mis-encoded.ts';
import { countUtf8Sequences } from './utf8-sequences.ts';
import type { Encoding } from './utf8-stream.ts';
import { wideEncoding } from './wide-text.ts';

const HEAD_BYTES = 256 * 1024;
const SAMPLE_BYTES = 64 * 1024;
/** Below this the detector has seen nothing that speaks for its answer (its scores for short samples are 0.01 to 0.4). */
const MIN_SCORE = 0.004;
/** A runner-up this close with different characters makes the answer a coin toss. */
const TOO_CLOSE = 0.9;

/** The usual encoding of the West is believed to come close from further away. */
const TOO_CLOSE_USUAL = 0.8;
const ESCAPE = 0x1b;
const LF = 10;
const CR = 13;
/** Characters of UTF-8 in one line that are no accident. */
const SURE_SEQUENCES = 4;

const marks: readonly { bytes: readonly number[]; name: string }[] = [
  { bytes: [0xef, 0xbb, 0xbf], name: 'utf-8' },
  { bytes: [0xff, 0xfe, 0, 0], name: 'utf-32le' },
  { bytes: [0, 0, 0xfe, 0xff], name: 'utf-32be' },
  { bytes: [0xff, 0xfe], name: 'utf-16le' },
  { bytes: [0xfe, 0xff], name: 'utf-16be' },
];

/** What the detector may answer, and the name under which it is decoded; earlier names win between equal texts. */
const legacyEncodings: Readonly<Record<string, string>> = {
  'windows-1252': 'windows-1252',
  'iso-8859-1': 'windows-1252',
  'iso8859-15': 'iso-8859-15',
  cp932: 'shift_jis',
  shift_jis: 'shift_jis',
  shift_jis_2004: 'shift_jis',
  gb18030: 'gb18030',
  gb2312: 'gb18030',
  big5: 'big5',
  big5hkscs: 'big5',
  'euc-jp': 'euc-jp',
  cp949: 'euc-kr',
  'euc-kr': 'euc-kr',
  'windows-1250': 'windows-1250',
  'windows-1251': 'windows-1251',
  'windows-1253': 'windows-1253',
  'windows-1254': 'windows-1254',
  'windows-1255': 'windows-1255',
  'windows-1256': 'windows-1256',
  'windows-1257': 'windows-1257',
  'windows-1258': 'windows-1258',
  'iso-8859-2': 'iso-8859-2',
  'iso-8859-5': 'iso-8859-5',
  'iso-8859-7': 'iso-8859-7',
  'iso-8859-9': 'iso-8859-9',
  'iso-8859-13': 'iso-8859-13',
  'koi8-r': 'koi8-r',
  'koi8-u': 'koi8-u',
  cp874: 'windows-874',
  'tis-620': 'windows-874',
  macroman: 'macroman',
  ibm866: 'cp866',
  ibm855: 'cp855',
  maccyrillic: 'maccyrillic',
  cp852: 'cp852',
  cp850: 'cp850',
  maclatin2: 'maccenteuro',
};
/** Of mainframes: their line ends and delimiters are not those of ASCII, and this text has both. */
const mainframe = /^cp(?:037|273|424|500|875|1026|1140)$/;
const PREVIEW_LENGTH = 24;
const NO_BREAK_SPACE = '\u00a0';
const GROUPED = /(?<![\x80-\xff])\d\xa0\d{3}(?!\d)/;
const allGrouped = /(?<=\d)\xa0(?=\d{3}(?!\d))/g;
/** Fewer different words than these say little of an encoding that is not the usual one. */
const FEW_WORDS = 4;
/** A Latin letter next to one of another alphabet; Han, Kana and Hangul do stand beside Latin words. */
const others = '[\\p{sc=Cyrl}\\p{sc=Grek}\\p{sc=Arab}\\p{sc=Hebr}\\p{sc=Thai}]';
const scriptChange = new RegExp(`\\p{sc=Latn}(?=${others})|${others}(?=\\p{sc=Latn})`, 'gu');
/** A Han character or one of Hangul inside a word of small Latin letters: bytes of the West that were read in pairs. */
const hanInWord = /(?<=[a-z])[\p{sc=Han}\p{sc=Hangul}](?=[a-z])/gu;
/** A sign inside a word of small letters: "h™tel", "Krak¾w". */
const signInWord = /(?<=\p{Ll})[™©®¤§¬¶†‡‰•¿¡¼-¾¹²³ª°±µ¯¸¨¦¢£¥×÷√∞≤≥∂∑∏∫≈∆«»…](?=\p{Ll})/gu;
/** Of Iceland in windows-1252, of Turkey in windows-1254, where far more files come from. */
const ICELANDIC = /[ðþýÐÞÝ]/u;
/** A capital that is not ASCII inside a word in small letters. */
const oddCase = /(?<=\p{Ll})(?!\p{ASCII})\p{Lu}/gu;
const preference = [...new Set(Object.values(legacyEncodings))];

export async function detectEncoding(source: ByteSource): Promise<Decision<Encoding>> {
  const head = await readSlice(source, 0, HEAD_BYTES);
  const marked = markOf(head);
  if (marked !== null) return marked;
  const wide = wideWithoutMark(head);
  if (wide !== null) return wide;
  const sample = isAscii(head) && !head.includes(ESCAPE) ? await firstOtherThanAscii(source, head.length) : head;
  const switching = sample === null ? null : byEscapes(sample);
  if (switching !== null) return switching;
  if (sample === null || isAscii(sample)) {
    const meant = findUtf7(head.toString('latin1'));
    if (meant !== null) refuse(`it looks like UTF-7 (it says "${meant}"), which cannot be read`);
    const chinese = findHz(head.toString('latin1'));
    if (chinese !== null) refuse(`it looks like HZ (it says "${chinese}"), which cannot be read`);
    return decided({ name: 'utf-8', bomBytes: 0 }, 'exact', 'every character is ASCII');
  }
  return byContent(sample, sample.length < source.size);
}

function markOf(head: Buffer): Decision<Encoding> | null {
  for (const { bytes, name } of marks) {
    if (bytes.every((byte, i) => head[i] === byte)) {
      return decided({ name, bomBytes: bytes.length }, 'exact', 'the file starts with its byte order mark');
    }
  }
  return null;
}

function wideWithoutMark(head: Buffer): Decision<Encoding> | null {
  const name = wideEncoding(head);
  if (name === null) return null;
  return decided({ name, bomBytes: 0 }, 'likely', 'every other byte is zero, as in UTF-16 without a byte order mark');
}

/** Looks on through an ASCII file for the first place that is not; costs one pass over a file that has none. */
async function firstOtherThanAscii(source: ByteSource, from: number): Promise<Buffer | null> {
  let at = from;
  for await (const chunk of source.open(from)) {
    if (!isAscii(chunk) || chunk.includes(ESCAPE)) {
      const inChunk = chunk.findIndex((byte) => byte >= 0x80 || byte === ESCAPE);
      const start = Math.max(0, at + inChunk - 1024);
      return readSlice(source, start, SAMPLE_BYTES);
    }
    at += chunk.length;
  }
  return null;
}

/** Encodings that switch alphabets by escapes are made of ASCII bytes and are not ASCII. */
function byEscapes(sample: Buffer): Decision<Encoding> | null {
  const text = sample.toString('latin1');
  // Escapes that a terminal understands (colours) are none of these.
  const escapes = new Set(
    text
      .split('\x1b')
      .slice(1)
      .map((rest) => /^\$?[()]?[@A-J]/.exec(rest)?.[0] ?? ''),
  );
  const has = (...wanted: string[]) => wanted.some((sequence) => escapes.has(sequence));
  if (has('$)C')) refuse('it is ISO-2022-KR, which cannot be read');
  if (has('$)A', '$)G', '$)E')) refuse('it is ISO-2022-CN, which cannot be read');
  if (!has('$@', '$B', '$(D')) return null;
  const encoding = { name: 'iso-2022-jp', bomBytes: 0 };
  return decided(encoding, 'likely', 'its escapes are those of ISO-2022-JP');
}

async function byContent(sample: Buffer, isCut: boolean): Promise<Decision<Encoding>> {
  const utf8: Encoding = { name: 'utf-8', bomBytes: 0 };
  if (isUtf8(wholeCharacters(sample, isCut))) return decided(utf8, 'exact', 'the bytes are valid UTF-8');
  const { valid, invalid } = countUtf8Sequences(sample);
  // Damaged UTF-8 stays UTF-8: its broken rows are refused one by one instead of misreading all the others.
  if (valid >= 3 && valid >= invalid * 10) {
    return decided(utf8, 'likely', `the bytes are UTF-8 except for ${invalid} damaged places`);
  }
  const lines = linesWithOtherThanAscii(sample);
  refuseTwoEncodings(lines);
  return byStatistics(lines);
}

/** Lines of UTF-8 among lines that are not: files put together from two. Any one encoding would misread a part of them. */
function refuseTwoEncodings(sample: Buffer): void {
  let utf8 = 0;
  let other = 0;
  for (let start = 0; start < sample.length; ) {
    const found = sample.indexOf(10, start);
    const end = found === -1 ? sample.length : found + 1;
    const line = sample.subarray(start, end);
    // In a few characters of another encoding UTF-8 comes about by chance.
    if (isUtf8(line) && countUtf8Sequences(line).valid >= SURE_SEQUENCES) utf8++;
    else if (!isUtf8(line)) other++;
    start = end;
  }
  if (utf8 >= 2 && utf8 * 10 >= utf8 + other)
    refuse(
      `${utf8} of its lines are UTF-8 and ${other} are not: it seems to be put together from files of two encodings`,
    );
}

interface Answer {
  score: number;
  readonly text: string;
  /** Letters, less those whose case changes inside a word. */
  readonly quality: number;
  readonly names: Set<string>;
}

async function byStatistics(sample: Buffer): Promise<Decision<Encoding>> {
  const { answers, unreadable } = await answersFor(sample);
  const [first, ...others] = answers;
  if (unreadable !== null && unreadable.score > (first?.score ?? 0)) {
    const readable = first === undefined ? '' : `; the next best answer would be ${preview(first)}`;
    refuse(`it looks like ${unreadable.name}, which cannot be read${readable}`);
  }
  if (first === undefined) refuse('the bytes are not text in any encoding that Millrace knows');
  if (first.score < MIN_SCORE) refuse('nothing in it is evidence for one encoding');
  // Between close answers the one that makes more of the bytes letters is the better reading of a name.
  const limit = (answer: Answer) => first.score * (answer.names.has('windows-1252') ? TOO_CLOSE_USUAL : TOO_CLOSE);
  const close = [first, ...others.filter((other) => other.score >= limit(other))];
  const isBetter = (a: Answer, b: Answer) =>
    b.quality > a.quality || (b.quality === a.quality && b.names.has('windows-1252'));
  const best = close.reduce((a, b) => (isBetter(a, b) ? b : a));
  const rival = close.find((other) => other !== best && other.quality === best.quality);
  if (rival !== undefined && !best.names.has('windows-1252')) {
    refuse(`it could be ${preview(best)} or ${preview(rival)}, which differ in what they say`);
  }
  if (preference.every((name) => !best.names.has(name))) {
    refuse(`it looks like ${preview(best)}, which is so rare that it must be named`);
  }
  return describe(best, answers);
}

/** What the detector thinks of, as far as it decodes to something like text; and the best of what we cannot decode at all. */
async function answersFor(
  sample: Buffer,
): Promise<{ answers: Answer[]; unreadable: { name: string; score: number } | null }> {
  // 1.3 MB of tables, which took a tenth of the time of a short command while every start loaded them.
  const { detectAll } = await import('jschardet');
  // A byte that groups the digits of numbers is a blank, whatever letters it may stand for elsewhere.
  const grouped = GROUPED.test(sample.toString('latin1'));
  const letters = grouped ? Buffer.from(sample.toString('latin1').replace(allGrouped, ' '), 'latin1') : sample;
  const byText = new Map<string, Answer>();
  let unreadable: { name: string; score: number } | null = null;
  for (const { encoding, confidence } of detectAll(isAscii(letters) ? sample : letters, { minimumThreshold: 0 })) {
    const found = encoding?.toLowerCase() ?? '';
    const name = legacyEncodings[found] ?? found;
    if (name === '' || name === 'ascii' || name.startsWith('utf') || mainframe.test(name)) continue;
    if (!canDecode(name)) {
      if (confidence > (unreadable?.score ?? 0)) unreadable = { name: encoding ?? name, score: confidence };
      continue;
    }
    const text = decodeText(sample, name);
    if (!isPlausible(text) || (grouped && !text.includes(NO_BREAK_SPACE))) continue;
    const quality = countOf(text, /\p{L}/gu) - 2 * countOf(text, oddCase);
    const answer = byText.get(text) ?? { score: 0, text, quality, names: new Set<string>() };
    answer.names.add(name);
    answer.score = Math.max(answer.score, confidence);
    byText.set(text, answer);
  }
  return { answers: [...byText.values()].sort((a, b) => b.score - a.score), unreadable };
}

function describe(best: Answer, answers: readonly Answer[]): Decision<Encoding> {
  const name = nameOf(best);
  const next = answers.find((other) => other !== best);
  const closeness = next === undefined ? 0 : Math.min(1, next.score / best.score);
  const reason = `the characters read as text in ${name}`;
  const says = next === undefined ? '' : `${preview(next)} comes close`;
  const clues = [{ says: reason, weight: 3.5 }, ...(closeness > 0.5 ? [{ says, weight: -8 * (closeness - 0.5) }] : [])];
  const words = new Set(best.text.match(/[^\s\p{P}\p{S}\d]*[^\p{ASCII}\s\p{P}\p{S}][^\s\p{P}\p{S}\d]*/gu)).size;
  if (words < FEW_WORDS && name !== 'windows-1252')
    clues.push({ says: `only ${words} of its words are not ASCII`, weight: -3.2 });
  if (name === 'windows-1252' && ICELANDIC.test(best.text))
    clues.push({ says: 'some of its letters would be others in windows-1254', weight: -3.2 });
  const rival = closeness > 0.5 ? { says, certainty: closeness / (1 + closeness) } : null;
  return weighed({ name, bomBytes: 0 }, clues, rival, reason);
}

function nameOf({ names }: Answer): string {
  return preference.find((candidate) => names.has(candidate)) ?? [...names][0] ?? '';
}

/** The name with the first words that it would make of the bytes. */
function preview(answer: Answer): string {
  const at = Math.max(0, answer.text.search(/[^\p{ASCII}]/u) - 4);
  const shown = answer.text
    .slice(at, at + PREVIEW_LENGTH)
    .replace(/[\p{Cc}"]+/gu, ' ')
    .trim();
  return `${nameOf(answer)} ("${shown}")`;
}

function refuse(reason: string): never {
  throw new MillraceError('encoding_not_recognised', { reason });
}

/** No character without meaning, no control characters, hardly any frames and shapes, hardly any word that changes its script. */
function isPlausible(text: string): boolean {
  const foreign = countOf(text, /[^\p{ASCII}]/gu);
  // A byte without a meaning here and there is damage, and costs its rows; many of them are another encoding.
  if (countOf(text, /[\uFFFD\u0080-\u009F\uE000-\uF8FF]/g) > foreign * 0.01) return false;
  const usual = countOf(
    text,
    /(?!\p{ASCII}|[\u02b0-\u02ff\ufb00-\ufb06])[\p{L}\p{M}\p{N}\p{Sc}\u00a0-\u00bf\u2010-\u2027\u2030-\u203a\u2122\u3000-\u303f\uff00-\uffef]/gu,
  );
  const mixed = countOf(text, scriptChange);
  if (countOf(text, hanInWord) > foreign * 0.05 || countOf(text, signInWord) > foreign * 0.2) return false;
  return foreign - usual <= foreign * 0.1 && mixed <= foreign * 0.05 && countOf(text, oddCase) <= foreign * 0.05;
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function linesWithOtherThanAscii(sample: Buffer): Buffer {
  const lineEnd = sample.includes(LF) ? LF : CR;
  const picked: Buffer[] = [];
  let length = 0;
  for (let start = 0; start < sample.length && length < SAMPLE_BYTES; ) {
    const found = sample.indexOf(lineEnd, start);
    const end = found === -1 ? sample.length : found + 1;
    // The last line of a sample may end inside a character; it is only used when it is all there is.
    const line = sample.subarray(start, end);
    if (!isAscii(line) && (found !== -1 || length === 0)) {
      picked.push(line);
      length += line.length;
    }
    start = end;
  }
  return Buffer.concat(picked);
}

/** Cuts the last bytes of a sample when they may be the first half of a character. */
function wholeCharacters(sample: Buffer, isCut: boolean): Buffer {
  if (!isCut) return sample;
  let start = 0;
  while (start < 3 && ((sample[start] ?? 0) & 0xc0) === 0x80) start++;
  let end = sample.length;
  while (end > 0 && sample.length - end < 3 && ((sample[end - 1] ?? 0) & 0xc0) === 0x80) end--;
  const lead = sample[end - 1] ?? 0;
  if (lead >= 0xc0) end--;
  else end = sample.length;
  return sample.subarray(start, end);
}
