// The grain of a report: the deepest thing its rows name, and whether it lists only a part of the day. A report of search terms, keywords,
// placements or audiences leaves out what the platform does not list; its sums are never the day's.
import type { Reading } from '../../tabular/reading.ts';
import type { AppliedMapping } from './reading.ts';

/** From the one that says most: a report of search terms names keywords, too. */
const parts = ['search_term', 'keyword', 'placement', 'audience'] as const;
export type Part = (typeof parts)[number];

export const levels = ['account', 'campaign', 'ad_set', 'ad'] as const;
export type GrainLevel = (typeof levels)[number];

export interface Grain {
  readonly level: GrainLevel;
  readonly part: Part | null;
  /** Rows are numbers over several days, each stored as one dated period. */
  readonly isPeriod: boolean;
}

interface Read {
  readonly reading: Reading;
  readonly mapping: AppliedMapping;
}

export function grainOf({ reading, mapping }: Read): Grain {
  const filled = new Map(reading.columns.map(({ index, fillRate }) => [index, fillRate > 0]));
  const fields = new Set(mapping.columns.map(({ field }) => field));
  for (const field of Object.keys(mapping.constants)) fields.add(field);
  const level = [...levels].reverse().find((name) => fields.has(`${name}_id`) || fields.has(`${name}_name`));
  // A column that is empty throughout lists nothing.
  const part = parts.find((name) => mapping.columns.some(({ field, column }) => field === name && filled.get(column)));
  return { level: level ?? 'account', part: part ?? null, isPeriod: mapping.period === true };
}

/** As the API, the tables and the console call it. */
export function grainName({ level, part, isPeriod }: Grain): string {
  if (isPeriod) return 'period';
  return part ?? level;
}

/** Whether a grain lists only a part of the day. */
export function isPart(grain: string): boolean {
  return (parts as readonly string[]).includes(grain);
}

/** Tells apart what would be added twice: search terms by campaign and search terms by ad set. */
export function grainKey({ level, part }: Grain): string {
  return part === null ? level : `${part} of ${level}`;
}
