// Numbers, sizes and spans of time as words. All in the viewer's own locale.
const whole = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

export function count(value: number): string {
  return whole.format(value);
}

export function shortCount(value: number): string {
  return value < 10_000 ? whole.format(value) : compact.format(value);
}

/** "1 row", "2 rows". */
export function plural(value: number, noun: string, nouns = `${noun}s`): string {
  return `${whole.format(value)} ${value === 1 ? noun : nouns}`;
}

export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let amount = value;
  let unit = 0;
  while (amount >= 1000 && unit < units.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return `${amount >= 100 || unit === 0 ? Math.round(amount) : amount.toFixed(1)} ${units[unit]}`;
}

/** An amount of work in its unit: "4.2 MB", "1,204 rows". */
export function amount(value: number, unit: string): string {
  return unit === 'bytes' ? bytes(value) : `${whole.format(value)} ${unit}`;
}

/** How far something is: "4.2 MB of 50.0 MB", "14 of 400 steps", "14 steps" when nobody knows how many there will be. */
export function howFar({ done, total, unit }: { done: number; total: number | null; unit: string }): string {
  if (total === null) return amount(done, unit);
  return `${unit === 'bytes' ? bytes(done) : whole.format(done)} of ${amount(total, unit)}`;
}

/** Two units at most: "850 ms", "4.2 s", "3 min 20 s", "2 h 5 min". */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return join(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  if (seconds < 86_400) return join(Math.floor(seconds / 3600), 'h', Math.floor((seconds % 3600) / 60), 'min');
  return join(Math.floor(seconds / 86_400), 'd', Math.floor((seconds % 86_400) / 3600), 'h');
}

function join(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;
}

/** An exact decimal with grouped thousands; the digits themselves are never touched. */
export function decimal(value: string): string {
  const [, sign = '', integer = '', fraction = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(value) ?? [];
  if (integer === '') return value;
  return `${sign}${integer.replace(/\B(?=(\d{3})+$)/g, ',')}${fraction}`;
}

/** An amount of money: as exact as it is stored, with two decimals at least. */
export function money(value: string): string {
  const [, fraction = ''] = /^-?\d+(?:\.(\d+))?$/.exec(value) ?? [undefined, '00'];
  return decimal(
    fraction.length >= 2 ? value : `${value}${fraction === '' ? '.' : ''}${'0'.repeat(2 - fraction.length)}`,
  );
}

/** An exact number as people write it: money with its decimals, counts without. */
export function figure(value: string, isMoney = false): string {
  return isMoney ? money(value) : decimal(value);
}

export function percent(part: number, of: number): string {
  if (of === 0) return '–';
  const value = (part / of) * 100;
  if (part === of) return '100 %';
  if (value > 0 && value < 0.1) return '< 0.1 %';
  return `${value >= 99.95 && value < 100 ? '> 99.9' : value.toFixed(value >= 10 && value < 99 ? 0 : 1)} %`;
}
