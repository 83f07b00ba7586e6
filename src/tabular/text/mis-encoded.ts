// Text that was encoded twice: UTF-8 that a program took for Windows-1252 and wrote as UTF-8 again, so that "ä" became "Ã¤". The file is
// valid and says something else than was meant. Also UTF-7 and HZ, which are made of ASCII bytes and are not ASCII.
import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';

export interface DoublyEncoded {
  /** Texts with letters beyond ASCII that make sense when decoded once more. */
  readonly count: number;
  /** The first of them, as it stands and as it was meant. */
  readonly written: string;
  readonly meant: string;
}

/** Fewer of them are a quotation, or names that really look like this. */
const THROUGHOUT = 0.8;
const PREVIEW_LENGTH = 40;

/** Null where the texts are what they say. */
export function findDoublyEncoded(texts: Iterable<string>): DoublyEncoded | null {
  let beyondAscii = 0;
  let first: { written: string; meant: string } | null = null;
  let count = 0;
  for (const text of texts) {
    if (!/[^\p{ASCII}]/u.test(text)) continue;
    beyondAscii++;
    const meant = decodedOnceMore(text);
    if (meant === null) continue;
    count++;
    first ??= { written: text.trim().slice(0, PREVIEW_LENGTH), meant: meant.trim().slice(0, PREVIEW_LENGTH) };
  }
  return first === null || count < beyondAscii * THROUGHOUT ? null : { count, ...first };
}

/** Null where the characters are no bytes of Windows-1252, or these bytes no UTF-8 of printable characters. */
function decodedOnceMore(text: string): string | null {
  const bytes = iconv.encode(text, 'windows-1252');
  // The five bytes that Windows-1252 leaves open were passed on as control characters.
  if (bytes.length !== text.length) return null;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (bytes[i] === 0x3f && code !== 0x3f) {
      if (code < 0x80 || code > 0x9f) return null;
      bytes[i] = code;
    }
  }
  if (!isUtf8(bytes)) return null;
  const meant = bytes.toString('utf8');
  return /[\p{Cc}\p{Co}\p{Cn}]/u.test(meant.replace(/\s/g, '')) ? null : meant;
}

/** The first text of UTF-7 as it was meant; null where the ASCII text is what it says. */
export function findUtf7(ascii: string): string | null {
  const shifted = [...ascii.matchAll(/\+([A-Za-z0-9+/]{3,})-/g)];
  const meant = shifted.map(([, letters = '']) => utf16In(letters));
  const read = meant.filter((text) => text !== null);
  if (read.length === 0 || read.length < shifted.length * THROUGHOUT) return null;
  // One such place between other signs may be part of a number or a code; inside a word it is not.
  const isInWord = /[a-z]\+[A-Za-z0-9+/]{3,}-|\+[A-Za-z0-9+/]{3,}-[a-z]/.test(ascii);
  if (read.length < 2 && !isInWord) return null;
  return read.find((text) => /\p{L}/u.test(text)) ?? null;
}

/** UTF-16 in Base64 without padding, of characters that UTF-7 cannot write as themselves. */
function utf16In(letters: string): string | null {
  const bits = letters.length * 6;
  const units = Math.floor(bits / 16);
  // A telephone number is no text, and what is left over behind the last character is less than a letter, and zero.
  if (/^[\d/+]*$/.test(letters) || bits - units * 16 >= 6) return null;
  const bytes = Buffer.from(letters, 'base64');
  const text = iconv.decode(bytes.subarray(0, units * 2), 'utf-16be', { stripBOM: false });
  const isWhole = iconv.encode(text, 'utf-16be', { addBOM: false }).toString('base64').replace(/=+$/, '') === letters;
  return isWhole && /^(?:[\p{L}\p{M}\p{N}\p{P}\p{S}\u00a0]|\p{Zs})+$/u.test(text) && !/[A-Za-z0-9]/.test(text)
    ? text
    : null;
}

/** The first text of HZ (Chinese between "~{" and "~}") as it was meant; null where the ASCII text is what it says. */
export function findHz(ascii: string): string | null {
  const shifted = [...ascii.matchAll(/~\{((?:[!-w][!-~])+)~\}/g)];
  const meant = shifted.map(([, letters = '']) =>
    iconv.decode(Buffer.from(Array.from(letters, (letter) => letter.charCodeAt(0) | 0x80)), 'gb2312'),
  );
  const read = meant.filter((text) => !text.includes('\uFFFD') && /\p{sc=Han}/u.test(text));
  return read.length < 2 || read.length < shifted.length * THROUGHOUT ? null : (read[0] ?? null);
}
