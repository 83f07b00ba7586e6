// The words of a query as the index knows them: in every language the tenant's documents are stemmed by, each with its weight (idf over the
// tenant's own chunks, nobody else's), a word that nobody wrote read as the nearest one.
import type { Queryable } from '../../../platform/database.ts';
import { searchableText } from '../language.ts';
import { countTerms, listTermsFrom, readLexemes, type Searchable, type Searched } from '../sql/read-searched.ts';
import { nearestTerm, slipsAllowed } from './nearest-term.ts';
import { askingWordsOf, questionLanguages, stopWordsOf } from './question-words.ts';

export interface QueryWord {
  readonly word: string;
  /** Its terms, as numbers of `terms`. */
  readonly terms: number[];
  readonly chunks: number;
  readonly readAs: string | null;
  readonly isCommon: boolean;
  /** Of the rarest of its terms: what finding it is worth. */
  readonly idf: number;
}

export interface QueryTerm {
  readonly term: string;
  readonly idf: number;
  readonly versions: number;
  readonly chunks: number;
}

export interface QueryTerms {
  readonly words: QueryWord[];
  readonly terms: QueryTerm[];
  /** Words that were left out because others say more. */
  readonly leftOut: number;
}

/** The most words that are scored, in all their forms: a question of 10,000 characters is asked by its rarest ones. */
const MAX_WORDS = 32;
const MAX_TERMS = 96;
/** Beyond this many versions a word counts as one that stands everywhere. */
const COUNTED = 20_001;
const PREFIX = 2;
const MOST_NEIGHBOURS = 3_000;

export async function queryTerms(
  db: Queryable,
  tenantId: string,
  words: readonly string[],
  searched: Searchable,
): Promise<QueryTerms> {
  const { configs } = searched;
  if (words.length === 0 || configs.length === 0) return { words: [], terms: [], leftOut: 0 };
  const { lexemes, stops } = await lexemesOf(db, words, configs);
  const common = commonOf(words, lexemes, stops);
  // "how" of a note that is too short to have a language would be the rarest word of all.
  for (const [at, isStop] of common.stops.entries()) if (isStop) lexemes[at] = [];
  const counts = new Map<string, QueryTerm>();
  const count = async (terms: readonly string[]) => {
    const fresh = terms.filter((term) => !counts.has(term));
    if (fresh.length === 0) return;
    for (const row of await countTerms(db, tenantId, fresh, COUNTED))
      counts.set(row.term, weighed(row.term, row, searched));
  };
  await count([...new Set(lexemes.flat())]);
  const isKnown = (term: string) => (counts.get(term)?.versions ?? 0) > 0;
  const mayBeSlip = (terms: readonly string[], at: number) =>
    // "soft-boiled" is no slip of "sort": a word of several parts is taken as it is. "How long" asks; it is no slip of "log".
    !/[\p{L}\p{N}][^\p{L}\p{N}]+[\p{L}\p{N}]/u.test(words[at] ?? '') &&
    !common.all[at] &&
    stops[at]?.size === 0 &&
    !terms.some(isKnown);
  const readAs = await readSlips(
    db,
    tenantId,
    new Map(lexemes.map((terms, at) => [at, mayBeSlip(terms, at) ? terms : []])),
  );
  for (const [at, near] of readAs) lexemes[at] = [near];
  await count([...readAs.values()]);
  // One stop word alone tells no language, but where no document has it nobody misses it.
  const isMissed = (at: number) => stops[at]?.size === 0 || lexemes[at]?.some((term) => counts.get(term)?.versions);
  return gather(
    words,
    lexemes,
    weighedTogether(lexemes, counts, searched),
    readAs,
    common.all.map((isCommon, at) => isCommon || !isMissed(at)),
  );
}

/** The most words whose language is asked for: more of them tell it by the configurations of the documents alone. */
const MOST_BY_LANGUAGE = 60;

interface Lexemes {
  /** By word, in the configurations of the documents. */
  readonly lexemes: string[][];
  /** By word: the languages in which it is a stop word. */
  readonly stops: Set<string>[];
}

async function lexemesOf(db: Queryable, words: readonly string[], configs: readonly string[]): Promise<Lexemes> {
  const found = words.map(() => new Set<string>());
  const stops = words.map(() => new Set<string>());
  const languages = words.length > MOST_BY_LANGUAGE ? [] : questionLanguages;
  const rows = await readLexemes(db, words.map(searchableText), [...new Set([...configs, ...languages])]);
  for (const { word_no: at, config, lexemes } of rows) {
    if (lexemes.length === 0) stops[at]?.add(config);
    if (configs.includes(config)) for (const lexeme of lexemes) found[at]?.add(lexeme);
  }
  return { lexemes: found.map((set) => [...set]), stops };
}

interface Common {
  /** Not looked for at all. */
  readonly stops: boolean[];
  /** Looked for or not, they say nothing of what is asked about. */
  readonly all: boolean[];
}

/** A query of nothing else is taken at its word. */
function commonOf(words: readonly string[], lexemes: readonly string[][], stopsIn: readonly Set<string>[]): Common {
  const none = words.map(() => false);
  const told = stopWordsOf(stopsIn);
  const saysSomething = (common: readonly boolean[]) => lexemes.some((own, at) => own.length > 0 && !common[at]);
  const stops = saysSomething(told) ? told : none;
  const asking = askingWordsOf(words);
  const both = stops.map((isStop, at) => isStop || asking[at] === true);
  return { stops, all: saysSomething(both) ? both : stops };
}

function weighed(
  term: string,
  { versions, sampled, sampled_chunks: chunksOfSample }: { versions: number; sampled: number; sampled_chunks: number },
  searched: Searched,
): QueryTerm {
  const perVersion = sampled === 0 ? 0 : chunksOfSample / sampled;
  const chunks = Math.min(searched.chunks, Math.round(versions * perVersion));
  return { term, idf: idfOf(chunks, searched), versions, chunks };
}

function idfOf(chunks: number, searched: Searched): number {
  return Math.max(0.01, Math.log(1 + (searched.chunks - chunks + 0.5) / (chunks + 0.5)));
}

/**
 * A word has a form in each language of the documents, and is worth what all of them together are worth. Each by itself, the form of a language
 * that few documents have would be the rarest term of all, and those few would be found first whatever is asked.
 */
function weighedTogether(
  lexemes: readonly (readonly string[])[],
  counts: ReadonlyMap<string, QueryTerm>,
  searched: Searched,
): ReadonlyMap<string, QueryTerm> {
  const together = new Map<string, number>();
  for (const forms of lexemes) {
    const sum = forms.reduce((chunks, term) => chunks + (counts.get(term)?.chunks ?? 0), 0);
    for (const term of forms) together.set(term, Math.max(together.get(term) ?? 0, Math.min(searched.chunks, sum)));
  }
  return new Map(
    [...counts].map(([term, count]) => {
      const chunks = together.get(term) ?? count.chunks;
      return [term, { ...count, chunks, idf: idfOf(chunks, searched) }];
    }),
  );
}

/** By word, what it is read as: the nearest of the terms that begin like one of its own. All words in one statement. */
async function readSlips(
  db: Queryable,
  tenantId: string,
  missing: ReadonlyMap<number, readonly string[]>,
): Promise<Map<number, string>> {
  const read = new Map<number, string>();
  // The second letter may be the wrong one: what begins with the first alone is looked at as well, as far as that goes.
  for (const length of [PREFIX, 1]) {
    const open = [...missing].flatMap(([at, terms]) =>
      read.has(at) ? [] : terms.filter((term) => slipsAllowed(term) > 0).map((term) => ({ at, term })),
    );
    if (open.length === 0) break;
    const prefixes = new Set(open.map(({ term }) => term.slice(0, length)));
    const known = await listTermsFrom(db, tenantId, [...prefixes], MOST_NEIGHBOURS);
    for (const { at, term } of open) {
      const near = read.has(at) ? undefined : nearestTerm(term, known.get(term.slice(0, length)) ?? []);
      if (near !== undefined) read.set(at, near);
    }
  }
  return read;
}

function gather(
  words: readonly string[],
  lexemes: readonly (readonly string[])[],
  counts: ReadonlyMap<string, QueryTerm>,
  readAs: ReadonlyMap<number, string>,
  common: readonly boolean[],
): QueryTerms {
  const known = [...counts.values()].filter(({ versions }) => versions > 0);
  const terms = rarestOf(lexemes, counts, known);
  const numbers = new Map(terms.map(({ term }, at) => [term, at]));
  const view = words.map((word, at): QueryWord => {
    const own = lexemes[at] ?? [];
    const counted = own.flatMap((term) => counts.get(term) ?? []);
    const found = counted.filter(({ versions }) => versions > 0);
    return {
      word,
      terms: own.flatMap((term) => numbers.get(term) ?? []),
      chunks: Math.max(0, ...found.map(({ chunks }) => chunks)),
      readAs: readAs.get(at) ?? null,
      isCommon: own.length === 0 || common[at] === true,
      idf: Math.max(0, ...(found.length > 0 ? found : counted).map(({ idf }) => idf)),
    };
  });
  return { words: view, terms, leftOut: known.length - terms.length };
}

/** Word by word, so that no form of a word goes without the others. */
function rarestOf(
  lexemes: readonly (readonly string[])[],
  counts: ReadonlyMap<string, QueryTerm>,
  known: readonly QueryTerm[],
): QueryTerm[] {
  const byIdf = (a: QueryTerm, b: QueryTerm) => b.idf - a.idf;
  if (known.length <= MAX_WORDS) return known.toSorted(byIdf);
  const forms = lexemes
    .map((own) => own.flatMap((term) => counts.get(term) ?? []).filter(({ versions }) => versions > 0))
    .filter((own) => own.length > 0)
    .sort(([a], [b]) => (b?.idf ?? 0) - (a?.idf ?? 0));
  const chosen = new Set(forms.slice(0, MAX_WORDS).flat());
  return [...chosen].sort(byIdf).slice(0, MAX_TERMS);
}
