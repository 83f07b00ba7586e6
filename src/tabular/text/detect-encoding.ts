// Which encoding a text is in. Byte order marks and strict UTF-8 decide most files; the rest is put to a statistical detector
// whose answers are only taken when they decode cleanly and no other answer with different characters comes close. Otherwise the
// file is refused: a wrong name in the database is worse than a question to the user.
import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { detectAll } from 'jschardet';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { type ByteSource, readSlice } from '../byte-source.ts';
import { type Decision, decided } from '../decision.ts';
import { countUtf8Sequences } from './utf8-sequences.ts';
import type { Encoding } from './utf8-stream.ts';
import { wideEncoding } from './wide-text.ts';

const HEAD_BYTES = 256 * 1024;
const SAMPLE_BYTES = 64 * 1024;
/** Below this the detector has seen nothing that speaks for its answer (its scores for short samples are 0.01 to 0.4). */
const MIN_SCORE = 0.004;
/** A runner-up this close with different characters makes the answer a coin toss. */
const TOO_CLOSE = 0.9;

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
  cp852: 'cp852',
  cp850: 'cp850',
};
/** A Latin letter next to one of another alphabet; Han, Kana and Hangul do stand beside Latin words. */
const others = '[\\p{sc=Cyrl}\\p{sc=Grek}\\p{sc=Arab}\\p{sc=Hebr}\\p{sc=Thai}]';
const scriptChange = new RegExp(`\\p{sc=Latn}(?=${others})|${others}(?=\\p{sc=Latn})`, 'gu');
const preference = [...new Set(Object.values(legacyEncodings))];

export async function detectEncoding(source: ByteSource): Promise<Decision<Encoding>> {
  const head = await readSlice(source, 0, HEAD_BYTES);
  const marked = markOf(head);
  if (marked !== null) return marked;
  const wide = wideWithoutMark(head);
  if (wide !== null) return wide;
  const sample = isAscii(head) ? await firstOtherThanAscii(source, head.length) : head;
  if (sample === null) return decided({ name: 'utf-8', bomBytes: 0 }, 'exact', 'every character is ASCII');
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
    if (!isAscii(chunk)) {
      const inChunk = chunk.findIndex((byte) => byte >= 0x80);
      const start = Math.max(0, at + inChunk - 1024);
      return readSlice(source, start, SAMPLE_BYTES);
    }
    at += chunk.length;
  }
  return null;
}

function byContent(sample: Buffer, isCut: boolean): Decision<Encoding> {
  const utf8: Encoding = { name: 'utf-8', bomBytes: 0 };
  if (isUtf8(wholeCharacters(sample, isCut))) return decided(utf8, 'exact', 'the bytes are valid UTF-8');
  const { valid, invalid } = countUtf8Sequences(sample);
  // Damaged UTF-8 stays UTF-8: its broken rows are refused one by one instead of misreading all the others.
  if (valid >= 3 && valid >= invalid * 10) {
    return decided(utf8, 'likely', `the bytes are UTF-8 except for ${invalid} damaged places`);
  }
  return byStatistics(linesWithOtherThanAscii(sample));
}

function byStatistics(sample: Buffer): Decision<Encoding> {
  const byText = new Map<string, { score: number; letters: number; names: Set<string> }>();
  for (const { encoding, confidence } of detectAll(sample, { minimumThreshold: 0 })) {
    const name = encoding === null ? undefined : legacyEncodings[encoding.toLowerCase()];
    if (name === undefined) continue;
    const text = iconv.decode(sample, name);
    if (!isPlausible(text)) continue;
    const group = byText.get(text) ?? { score: 0, letters: countOf(text, /\p{L}/gu), names: new Set<string>() };
    group.names.add(name);
    group.score = Math.max(group.score, confidence);
    byText.set(text, group);
  }
  const [first, ...others] = [...byText.values()].sort((a, b) => b.score - a.score);
  if (first === undefined) refuse('the bytes are no text in any encoding we know');
  if (first.score < MIN_SCORE) refuse('nothing in it speaks for one encoding');
  // Between close answers the one that makes more of the bytes letters is the better reading of a name.
  const close = [first, ...others.filter((other) => other.score >= first.score * TOO_CLOSE)];
  const best = close.reduce((a, b) => (b.letters > a.letters ? b : a));
  const rival = close.find((other) => other !== best && other.letters === best.letters);
  const name = preference.find((candidate) => best.names.has(candidate)) ?? '';
  if (rival !== undefined && !best.names.has('windows-1252')) {
    refuse(`it could be ${name} or ${[...rival.names].join(', ')}, which differ in what they say`);
  }
  return decided(
    { name, bomBytes: 0 },
    close.length > 1 ? 'guess' : 'likely',
    `the characters read as text in ${name}`,
  );
}

function refuse(reason: string): never {
  throw new MillraceError('encoding_not_recognised', { reason });
}

/** No character without meaning, no control characters, hardly any frames and shapes, hardly any word that changes its script. */
function isPlausible(text: string): boolean {
  if (/[\uFFFD\u0080-\u009F\uE000-\uF8FF]/.test(text)) return false;
  const foreign = countOf(text, /[^\p{ASCII}]/gu);
  const usual = countOf(
    text,
    /(?!\p{ASCII})[\p{L}\p{M}\p{N}\p{Sc}\u00a0-\u00bf\u2010-\u2027\u2030-\u203a\u2122\u3000-\u303f\uff00-\uffef]/gu,
  );
  const mixed = countOf(text, scriptChange);
  return foreign - usual <= foreign * 0.1 && mixed <= foreign * 0.05;
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function linesWithOtherThanAscii(sample: Buffer): Buffer {
  const picked: Buffer[] = [];
  let length = 0;
  for (let start = 0; start < sample.length && length < SAMPLE_BYTES; ) {
    const found = sample.indexOf(10, start);
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
