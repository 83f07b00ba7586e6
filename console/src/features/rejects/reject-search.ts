// What the rejects view shows, as it stands in the address.
export const shows = ['open', 'corrected', 'replayed', 'resolved'] as const;
export type Show = (typeof shows)[number];

export interface RejectSearch {
  readonly cluster?: string;
  readonly show?: Show;
  /** The run that replays the corrected rows, while it is watched. */
  readonly replay?: string;
}

export function readRejectSearch(search: Record<string, unknown>): RejectSearch {
  const show = shows.find((each) => each === search.show);
  return {
    ...(typeof search.cluster === 'string' && search.cluster ? { cluster: search.cluster } : {}),
    ...(show ? { show } : {}),
    ...(typeof search.replay === 'string' && /^[0-9a-f-]{36}$/.test(search.replay) ? { replay: search.replay } : {}),
  };
}
