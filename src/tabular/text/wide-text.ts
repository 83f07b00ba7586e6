// Wide text without a byte order mark shows in its zero bytes: of UTF-16 one side of nearly every pair (delimiters, digits and line ends have
// one), of UTF-32 two or three of every four.

export type WideEncoding = 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be';

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
  if (oddZeros > pairs * 0.1 && evenZeros < pairs * 0.01) return 'utf-16le';
  if (evenZeros > pairs * 0.1 && oddZeros < pairs * 0.01) return 'utf-16be';
  return null;
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
