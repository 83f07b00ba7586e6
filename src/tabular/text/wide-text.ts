// Wide text without a byte order mark shows in its zero bytes: of UTF-16 one side of nearly every pair (delimiters, digits and line ends have
// one), of UTF-32 two or three of every four.

import { isUtf8 } from 'node:buffer';

export type WideEncoding = 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be';

const FEW_ZEROS = 8;
const MOSTLY = 0.8;
/** Tab, line feed, vertical tab, form feed, carriage return, escape: of plain text. */
const blanks: ReadonlySet<number> = new Set([9, 10, 11, 12, 13, 27]);

export function wideEncoding(bytes: Uint8Array): WideEncoding | null {
  if (bytes.length < 2 || !bytes.includes(0)) return null;
  return fourByteEncoding(bytes) ?? twoByteEncoding(bytes);
}

function twoByteEncoding(bytes: Uint8Array): WideEncoding | null {
  const pairs = bytes.length >> 1;
  let evenZeros = 0;
  let oddZeros = 0;
  for (let i = 0; i < pairs * 2; i += 2) {
    if (bytes[i] === 0) evenZeros++;
    if (bytes[i + 1] === 0) oddZeros++;
  }
  const zeros = Math.max(evenZeros, oddZeros);
  if (zeros <= pairs * 0.1 || Math.min(evenZeros, oddZeros) >= pairs * 0.01 || isStray(bytes, zeros, pairs))
    return null;
  return zeros === oddZeros ? 'utf-16le' : 'utf-16be';
}

/** A few zero bytes in a short text all stand on one side by chance. Without them it is plain text then: no half of its pairs has one, and its bytes are letters. */
function isStray(bytes: Uint8Array, zeros: number, pairs: number): boolean {
  if (zeros >= FEW_ZEROS || zeros >= pairs * 0.5) return false;
  const others = bytes.filter((byte) => byte !== 0);
  if (others.some((byte) => byte < 32 && !blanks.has(byte))) return false;
  const ascii = others.filter((byte) => byte < 0x80).length;
  return isUtf8(others) || ascii > others.length * MOSTLY;
}

/** No character is above 0x10FFFF: the highest byte of each four is always zero, the next one hardly ever anything else. */
function fourByteEncoding(bytes: Uint8Array): WideEncoding | null {
  const fours = bytes.length >> 2;
  if (fours < 2) return null;
  const zeros = [0, 0, 0, 0];
  for (let i = 0; i < fours * 4; i++) if (bytes[i] === 0) zeros[i & 3] = (zeros[i & 3] ?? 0) + 1;
  const [first = 0, second = 0, third = 0, fourth = 0] = zeros;
  if (fourth === fours && third > fours * 0.9 && first < fours * 0.1) return 'utf-32le';
  if (first === fours && second > fours * 0.9 && fourth < fours * 0.1) return 'utf-32be';
  return null;
}
