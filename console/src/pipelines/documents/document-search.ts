// Which documents are listed, and which page of a document is shown, as it stands in the address.
const standings = ['active', 'inactive', 'all', 'unread'] as const;

/** unread: without a version, for admins. */
export type Standing = (typeof standings)[number];

export interface DocumentSearch {
  readonly search?: string;
  readonly status?: Standing;
  readonly tag?: string;
  readonly page?: number;
}

export interface Place {
  readonly version?: number;
  readonly page?: number;
}

/** The router reads "?search=2024" as a number; what is searched for is text whatever it looks like. */
export function readDocumentSearch(search: Record<string, unknown>): DocumentSearch {
  const status = standings.find((each) => each === search.status);
  const words = textOf(search.search);
  const tag = textOf(search.tag);
  const page = numberOf(search.page);
  return {
    ...(words === '' ? {} : { search: words }),
    ...(status === undefined || status === 'active' ? {} : { status }),
    ...(tag === '' ? {} : { tag }),
    ...(page === undefined || page === 1 ? {} : { page: Math.min(page, 10_000) }),
  };
}

export function readPlace(search: Record<string, unknown>): Place {
  const version = numberOf(search.version);
  const page = numberOf(search.page);
  return { ...(version === undefined ? {} : { version }), ...(page === undefined ? {} : { page }) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim().slice(0, 200) : '';
}

function numberOf(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isInteger(number) && number >= 1 && number <= 10_000_000 ? number : undefined;
}
