const known = ['spend', 'impressions', 'clicks', 'conversions', 'reach'];

/** The measures that occur, the well-known ones first, none twice. */
export function measureNames(measures: readonly Readonly<Record<string, unknown>>[]): string[] {
  const names = new Set(measures.flatMap((each) => Object.keys(each).filter((name) => each[name] !== null)));
  const first = known.filter((name) => names.delete(name));
  return [...first, ...[...names].sort()];
}
