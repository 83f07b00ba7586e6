// The question in the address of the page: however often the page is loaded, it shows the stored answer.

export interface AskSearch {
  /** The answer that is shown. */
  readonly query?: string;
  /** The thread that is shown. */
  readonly conversation?: string;
  /** The document that is asked about. */
  readonly doc?: string;
}

export interface FindSearch {
  readonly q?: string;
  readonly type?: string;
  readonly tag?: string;
  readonly from?: string;
  readonly to?: string;
  readonly source?: string;
  readonly group?: 'document';
  readonly doc?: string;
}

export interface QuestionsSearch {
  readonly show?: 'unanswered' | 'answered' | 'abstained' | 'down';
}

const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const day = /^\d{4}-\d{2}-\d{2}$/;
const types = ['pdf', 'docx', 'html', 'txt', 'md'] as const;

export function readAskSearch(search: Record<string, unknown>): AskSearch {
  const query = textOf(search.query);
  const conversation = textOf(search.conversation);
  const doc = textOf(search.doc);
  return {
    ...(id.test(query) ? { query } : {}),
    ...(id.test(conversation) ? { conversation } : {}),
    ...(id.test(doc) ? { doc } : {}),
  };
}

export function readFindSearch(search: Record<string, unknown>): FindSearch {
  const q = textOf(search.q, 10_000);
  const type = types.find((each) => each === search.type);
  const tag = textOf(search.tag, 100);
  const from = textOf(search.from);
  const to = textOf(search.to);
  const source = textOf(search.source);
  const doc = textOf(search.doc);
  return {
    ...(q === '' ? {} : { q }),
    ...(type === undefined ? {} : { type }),
    ...(tag === '' ? {} : { tag }),
    ...(day.test(from) ? { from } : {}),
    ...(day.test(to) ? { to } : {}),
    ...(id.test(source) ? { source } : {}),
    ...(search.group === 'document' ? { group: 'document' as const } : {}),
    ...(id.test(doc) ? { doc } : {}),
  };
}

export function readQuestionsSearch(search: Record<string, unknown>): QuestionsSearch {
  const show = (['unanswered', 'answered', 'abstained', 'down'] as const).find((each) => each === search.show);
  return show === undefined ? {} : { show };
}

/** As the API takes it. */
export function filtersOf({ type, tag, from, to, source, doc }: FindSearch) {
  const known = types.find((each) => each === type);
  return {
    ...(known === undefined ? {} : { type: [known] }),
    ...(tag === undefined ? {} : { tag: [tag] }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(source === undefined ? {} : { source_id: source }),
    ...(doc === undefined ? {} : { doc_id: [doc] }),
  };
}

/** The router reads "?q=2024" as a number; what is asked is text whatever it looks like. */
function textOf(value: unknown, most = 200): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim().slice(0, most) : '';
}
