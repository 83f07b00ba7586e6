/** Adds exact decimals given as text, digit by digit: no float ever holds them. */
export function exactSum(values: readonly string[]): string {
  const places = Math.max(0, ...values.map((value) => value.split('.')[1]?.length ?? 0));
  const total = values.reduce((sum, value) => sum + scaled(value, places), 0n);
  const sign = total < 0n ? '-' : '';
  const digits = (total < 0n ? -total : total).toString().padStart(places + 1, '0');
  return places === 0 ? sign + digits : `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

export function sameDecimal(a: string, b: string): boolean {
  const places = Math.max(a.split('.')[1]?.length ?? 0, b.split('.')[1]?.length ?? 0);
  return scaled(a, places) === scaled(b, places);
}

/** Whether a total that a file states agrees with its rows: to the last digit, or to the last digit that the total has. */
export function agrees(stated: string, sum: string): boolean {
  const places = stated.split('.')[1]?.length ?? 0;
  const more = Math.max(places, sum.split('.')[1]?.length ?? 0);
  const difference = scaled(stated, more) - scaled(sum, more);
  const half = 10n ** BigInt(more - places);
  return 2n * (difference < 0n ? -difference : difference) <= half && (more > places || difference === 0n);
}

function scaled(value: string, places: number): bigint {
  const [integer = '0', fraction = ''] = value.split('.');
  return BigInt(integer + fraction.padEnd(places, '0'));
}
