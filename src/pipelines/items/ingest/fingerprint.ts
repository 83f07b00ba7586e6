// 48 bits of a row, by which likely copies are found. Not to be safe against anybody: the database compares the cells of likely copies.
const LOW = 2 ** 32;

/** How fingerprints are made; part of the checkpoint, because those of another way say nothing about each other. */
export const fingerprintWay = 2;

export function fingerprintOf(bytes: Uint8Array, from: number, to: number): number {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let i = from; i < to; i += 1) {
    const byte = bytes[i] as number;
    low = Math.imul(low ^ byte, 2_654_435_761);
    high = Math.imul(high ^ byte, 1_597_334_677);
  }
  const mixed = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  return (high & 0xffff) * LOW + (mixed >>> 0);
}
