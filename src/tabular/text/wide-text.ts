// UTF-16 without a byte order mark shows as zero bytes on one side of nearly every pair: delimiters, digits and line ends have one.

export function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const pairs = bytes.length >> 1;
  if (pairs === 0 || !bytes.includes(0)) return null;
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
