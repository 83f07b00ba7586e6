// Public collections with judgements: nDCG@10 and hit@10 by words, by vectors and by both, and how often a question is refused: of the other
// collection, of its own, and of its own after the documents that answer it were taken away.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../../src/contract/api/client.ts';
import { type Figure, rate, time } from './report.ts';
import type { BenchTenant, SearchServer } from './search-server.ts';

interface Collection {
  readonly name: string;
  readonly documents: readonly { readonly id: string; readonly title: string; readonly text: string }[];
  readonly questions: readonly { readonly id: string; readonly text: string }[];
  /** By question: document and grade. */
  readonly judged: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

interface Loaded extends Collection {
  readonly tenant: BenchTenant;
  /** Our id → theirs. */
  readonly ids: ReadonlyMap<string, string>;
}

interface Options {
  readonly quick: boolean;
  readonly say: (line: string) => void;
}

const SENDERS = 4;
/** Every so many questions are asked without what answers them. */
const TAKEN_AWAY = 3;
const modes = ['lexical', 'vector', 'hybrid'] as const;

export async function benchCollections(server: SearchServer, folder: string, options: Options): Promise<Figure[]> {
  const loaded: Loaded[] = [];
  for (const name of namesIn(folder)) loaded.push(await load(server, readCollection(folder, name), options));
  const figures: Figure[] = [];
  for (const mode of modes) {
    const scores: number[] = [];
    for (const collection of loaded) {
      const { ndcg, hit } = await measure(collection, mode, options.quick);
      options.say(`${collection.name} ${mode}: nDCG@10 ${ndcg.toFixed(3)}, hit@10 ${hit.toFixed(3)}`);
      scores.push(ndcg);
      figures.push(
        share(`ndcg-${mode}-${collection.name}`, ndcg, 'nDCG@10'),
        share(`hit-${mode}-${collection.name}`, hit, 'hit@10'),
      );
    }
    figures.push(share(`ndcg-${mode}`, headline(loaded, scores), 'nDCG@10'));
  }
  return [...figures, ...(await measureRefusals(loaded, options))];
}

const WORDS_OF_PASSAGE = 90;

/** Passages of all collections by turns, and their questions, for those who measure on vectors alone. */
export function readTexts(folder: string, most: number): { passages: string[]; questions: string[] } {
  const collections = namesIn(folder).map((name) => readCollection(folder, name));
  const passages = collections.map(({ documents }) => documents.flatMap(({ text }) => passagesOf(text)));
  return {
    passages: byTurns(passages).slice(0, most),
    questions: byTurns(collections.map(({ questions }) => questions.map(({ text }) => text))),
  };
}

function passagesOf(text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return Array.from({ length: Math.ceil(words.length / WORDS_OF_PASSAGE) }, (_, at) =>
    words.slice(at * WORDS_OF_PASSAGE, (at + 1) * WORDS_OF_PASSAGE).join(' '),
  );
}

function byTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

/** Between 0 and 1: two digits would hide what a change is worth. */
export function share(id: string, value: number, unit: string): Figure {
  return { id, value: Math.round(value * 1_000) / 1_000, unit, peers: {}, ratios: {} };
}

/** The collection whose bar is stated, or the mean where it is not among them. */
function headline(loaded: readonly Loaded[], scores: readonly number[]): number {
  const at = loaded.findIndex(({ name }) => name === 'cranfield');
  return scores[at] ?? scores.reduce((sum, score) => sum + score, 0) / Math.max(1, scores.length);
}

function namesIn(folder: string): string[] {
  return readdirSync(folder)
    .flatMap((file) => /^(.+)-docs\.jsonl$/.exec(file)?.[1] ?? [])
    .sort()
    .reverse();
}

function readCollection(folder: string, name: string): Collection {
  const lines = <T>(file: string): T[] =>
    readFileSync(path.join(folder, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as T);
  const judged = new Map<string, Map<string, number>>();
  for (const line of readFileSync(path.join(folder, `${name}-qrels.tsv`), 'utf8')
    .trim()
    .split('\n')) {
    const [question = '', document = '', grade = '0'] = line.split('\t');
    if (Number(grade) <= 0) continue;
    judged.set(question, (judged.get(question) ?? new Map<string, number>()).set(document, Number(grade)));
  }
  return { name, documents: lines(`${name}-docs.jsonl`), questions: lines(`${name}-queries.jsonl`), judged };
}

async function load(server: SearchServer, collection: Collection, { say }: Options): Promise<Loaded> {
  const tenant = await server.tenant(collection.name);
  const ids = new Map<string, string>();
  const runs: string[] = [];
  const waiting = collection.documents.filter(({ text }) => text.trim() !== '');
  const senders = Array.from({ length: SENDERS }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const form = new FormData();
      form.set('title', (next.title.trim() || next.id).slice(0, 500));
      // The number keeps documents with the same text apart.
      form.set('file', new Blob([`${next.text.trim()}\n`]), `${next.id}.txt`);
      const { doc_id: docId, run_id: runId } = await patiently(() => tenant.call('documents.ingest', { body: form }));
      ids.set(docId, next.id);
      if (runId !== undefined) runs.push(runId);
    }
  });
  await Promise.all(senders);
  for (const [at, runId] of runs.entries()) {
    for (;;) {
      const run = await server.engine.run(tenant.user.tenant_id, runId);
      if (run.finished_at !== null) break;
      await pause(100);
    }
    if (at % 500 === 0) say(`${collection.name}: ${at} of ${runs.length} ingested`);
  }
  await server.admin.query('analyze');
  return { ...collection, tenant, ids };
}

/** A server that says when to come again is asked again: what it had taken already is recognised. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ApiError) || error.retryAfterS === undefined || tries === 20) throw error;
      await pause(error.retryAfterS * 1_000);
    }
  }
}

async function measure({ tenant, questions, judged, ids }: Loaded, mode: (typeof modes)[number], quick: boolean) {
  let [ndcg, hits, count] = [0, 0, 0];
  for (const { id, text } of questions.filter((_, at) => !quick || at % 4 === 0)) {
    const relevant = judged.get(id);
    if (relevant === undefined) continue;
    const { hits: found } = await tenant.call('search.run', {
      body: { query: text, mode, group: 'document', limit: 10 },
    });
    const gains = found.map(({ doc_id: docId }) => relevant.get(ids.get(docId) ?? '') ?? 0);
    const ideal = [...relevant.values()].sort((a, b) => b - a).slice(0, 10);
    ndcg += discounted(gains) / discounted(ideal);
    hits += gains.some((gain) => gain > 0) ? 1 : 0;
    count += 1;
  }
  return { ndcg: ndcg / count, hit: hits / count };
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, at) => sum + gain / Math.log2(at + 2), 0);
}

async function measureRefusals(loaded: readonly Loaded[], { quick, say }: Options): Promise<Figure[]> {
  const own: boolean[] = [];
  const foreign: boolean[] = [];
  const gone: boolean[] = [];
  const refuses = async (tenant: BenchTenant, question: string) =>
    (await tenant.call('search.ask', { body: { question } })).status === 'abstained';
  for (const { tenant, name, judged, ids, questions } of loaded) {
    const some = questions.filter(({ id }, at) => judged.has(id) && (!quick || at % 4 === 0));
    for (const { text } of some) own.push(await refuses(tenant, text));
    for (const other of loaded.filter((each) => each.name !== name))
      for (const { text } of other.questions.filter((_, at) => !quick || at % 4 === 0))
        foreign.push(await refuses(tenant, text));
    const byTheirs = new Map([...ids].map(([ours, theirs]) => [theirs, ours]));
    for (const { id, text } of some.filter((_, at) => at % TAKEN_AWAY === 0)) {
      const documents = [...(judged.get(id)?.keys() ?? [])].flatMap((theirs) => byTheirs.get(theirs) ?? []);
      gone.push(await without(tenant, documents, () => refuses(tenant, text)));
    }
    say(`${name}: asked`);
  }
  const percent = (answers: readonly boolean[]) => (100 * answers.filter(Boolean).length) / Math.max(1, answers.length);
  // One collection alone has no foreign questions.
  return [
    ...(foreign.length === 0
      ? []
      : [rate('abstain-foreign', [percent(foreign)], '% of foreign questions refused', {})]),
    time('abstain-own', [percent(own)], '% of own questions refused', {}),
    rate('abstain-gone', [percent(gone)], '% refused once their documents are gone', {}),
  ];
}

/** Deactivated as an admin would, for the length of `work`. */
async function without<T>({ call }: BenchTenant, documents: readonly string[], work: () => Promise<T>): Promise<T> {
  for (const docId of documents) await call('documents.deactivate', { params: { doc_id: docId }, body: {} });
  try {
    return await work();
  } finally {
    for (const docId of documents) await call('documents.reactivate', { params: { doc_id: docId }, body: {} });
  }
}
