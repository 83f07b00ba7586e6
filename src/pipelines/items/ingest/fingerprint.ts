// 48 bits of a row, by which likely copies are found. Not to be safe against anybody: the database compares the cells of likely copies.
const LOW = 2 ** 32;
const LOW_FACTOR = 2_654_435_761;
const HIGH_FACTOR = 1_597_334_677;

/** How fingerprints are made; part of the checkpoint, because those of another way say nothing about each other. */
export const fingerprintWay = 3;

/** Four bytes at a time, then what is left. Turned after each, because a product carries nothing down. */
export function fingerprintOf(bytes: Uint8Array, from: number, to: number): number {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  let i = from;
  for (; i + 3 < to; i += 4) {
    const four =
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24);
    low = Math.imul(low ^ four, LOW_FACTOR);
    low = (low << 15) | (low >>> 17);
    high = Math.imul(high ^ four, HIGH_FACTOR);
    high = (high << 13) | (high >>> 19);
  }
  for (; i < to; i += 1) {
    const byte = bytes[i] as number;
    low = Math.imul(low ^ byte, LOW_FACTOR);
    high = Math.imul(high ^ byte, HIGH_FACTOR);
  }
  const mixed = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  return (high & 0xffff) * LOW + (mixed >>> 0);
}
