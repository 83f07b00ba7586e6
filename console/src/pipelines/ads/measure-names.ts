import { figure } from '../../ui/figures.ts';

const known = ['spend', 'impressions', 'clicks', 'conversions', 'reach'];
/** Measures that are money. */
export const amounts: ReadonlySet<string> = new Set(['spend', 'conversion_value']);

/** The measures that occur, the well-known ones first, none twice. */
export function measureNames(measures: readonly Readonly<Record<string, unknown>>[]): string[] {
  const names = new Set(measures.flatMap((each) => Object.keys(each).filter((name) => each[name] !== null)));
  const first = known.filter((name) => names.delete(name));
  return [...first, ...[...names].sort()];
}

/** "Link clicks". */
export function measureTitle(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A measure's value as people write it: money with its decimals, counts without. */
export function measureValue(name: string, value: string): string {
  return figure(value, amounts.has(name));
}

const grainTitles: Readonly<Record<string, string>> = {
  account: 'account',
  campaign: 'campaign',
  ad_set: 'ad set',
  ad: 'ad',
  search_term: 'search term (a part of the day)',
  keyword: 'keyword (a part of the day)',
  placement: 'placement (a part of the day)',
  audience: 'audience (a part of the day)',
  period: 'period of several days',
};

/** What a report tells numbers of, in words. */
export function grainTitle(grain: string): string {
  return grainTitles[grain] ?? grain;
}
