// The lines that can be the header: one, two of which the upper holds titles of groups, or none.
import type { Reading } from './show-reading.ts';

const NEAR_ROWS = 3;

export function headerKey(lines: readonly number[]): string {
  return lines.join('+');
}

export function headerLines(key: string): number[] {
  return key === '' ? [] : key.split('+').map(Number);
}

/** Of the lines a person sees on the page. */
export function headerOptions(
  reading: Pick<Reading, 'header_lines' | 'furniture' | 'sample'>,
): readonly (readonly [string, string])[] {
  const seen = new Set([
    1,
    ...reading.header_lines.value,
    ...reading.furniture.filter(({ kind }) => kind !== 'blank').map(({ line }) => line),
    ...reading.sample.slice(0, NEAR_ROWS).map(({ line }) => line),
  ]);
  const lines = [...seen].sort((a, b) => a - b);
  const pairs = lines.flatMap((line) => (seen.has(line + 1) ? [[line, line + 1]] : []));
  const current = reading.header_lines.value;
  const isListed = current.length < 2 || pairs.some((pair) => headerKey(pair) === headerKey(current));
  return [
    ...lines.map((line) => [headerKey([line]), `line ${line}`] as const),
    ...[...(isListed ? [] : [current]), ...pairs].map(
      (pair) => [headerKey(pair), `lines ${pair.join(' and ')}`] as const,
    ),
    ['', 'no header'] as const,
  ];
}
