// Counts how much of a byte string is well-formed UTF-8 beyond ASCII, to tell damaged UTF-8 from another encoding.

export function countUtf8Sequences(bytes: Uint8Array): { valid: number; invalid: number } {
  let valid = 0;
  let invalid = 0;
  for (let i = 0; i < bytes.length; ) {
    const lead = bytes[i] as number;
    if (lead < 0x80) {
      i++;
      continue;
    }
    const length = sequenceLength(lead);
    if (length > 1 && hasContinuation(bytes, i + 1, length - 1)) {
      valid++;
      i += length;
    } else {
      // A character cut off by the end of the sample is neither.
      if (length === 1 || i + length <= bytes.length) invalid++;
      i++;
    }
  }
  return { valid, invalid };
}

function sequenceLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 1;
}

function hasContinuation(bytes: Uint8Array, from: number, count: number): boolean {
  for (let i = from; i < from + count; i++) if (((bytes[i] ?? 0) & 0xc0) !== 0x80) return false;
  return true;
}
