// Which objects of a source are shown: part of the page's address.
export const fates = ['live', 'refused', 'failed', 'settling', 'deleted', 'kept'] as const;

export type ObjectFate = (typeof fates)[number];

export interface ObjectSearch {
  readonly fate?: ObjectFate;
  /** A sync whose finds are shown. */
  readonly sync?: string;
}

export function readObjectSearch(search: Record<string, unknown>): ObjectSearch {
  const fate = fates.find((each) => each === search.fate);
  const sync = typeof search.sync === 'string' ? search.sync : undefined;
  return { ...(fate === undefined ? {} : { fate }), ...(sync === undefined ? {} : { sync }) };
}
