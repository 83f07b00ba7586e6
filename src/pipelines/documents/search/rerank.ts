// A second opinion on the order, from a service that speaks Cohere's rerank API. Off by default. It fails open: whatever goes wrong, or takes
// too long, the order stays as it was, and `why` says so.
import type { Hit } from './shapes.ts';

export interface RerankOptions {
  readonly url: string;
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
}

export type Reranked =
  | { readonly kind: 'used'; readonly order: readonly { readonly index: number; readonly score: number }[] }
  | { readonly kind: 'failed'; readonly reason: string };

export async function rerank(options: RerankOptions, query: string, texts: readonly string[]): Promise<Reranked> {
  const late = AbortSignal.timeout(options.timeoutMs);
  try {
    const response = await fetch(`${options.url.replace(/\/+$/, '')}/v2/rerank`, {
      method: 'POST',
      redirect: 'error',
      headers: {
        'content-type': 'application/json',
        ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
      },
      body: JSON.stringify({ model: options.model, query, documents: texts, top_n: texts.length }),
      signal: late,
    });
    if (!response.ok) {
      await response.body?.cancel();
      return { kind: 'failed', reason: `HTTP ${response.status}` };
    }
    const order = readOrder(await response.json(), texts.length);
    return order === undefined ? { kind: 'failed', reason: 'its answer cannot be used' } : { kind: 'used', order };
  } catch {
    return { kind: 'failed', reason: late.aborted ? 'it did not answer in time' : 'it cannot be reached' };
  }
}

/** Each index once, each score a number; those it left out keep their order behind the others. */
function readOrder(answer: unknown, count: number): { index: number; score: number }[] | undefined {
  const results = (answer as { results?: unknown } | null)?.results;
  if (!Array.isArray(results) || results.length === 0) return undefined;
  const seen = new Set<number>();
  const order: { index: number; score: number }[] = [];
  for (const result of results as { index?: unknown; relevance_score?: unknown }[]) {
    const { index, relevance_score: score } = result ?? {};
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count || seen.has(index))
      return undefined;
    if (typeof score !== 'number' || !Number.isFinite(score)) return undefined;
    seen.add(index);
    order.push({ index, score });
  }
  order.sort((a, b) => b.score - a.score);
  const rest = Array.from({ length: count }, (_, index) => index).filter((index) => !seen.has(index));
  const last = order.at(-1)?.score ?? 0;
  return [...order, ...rest.map((index) => ({ index, score: last }))];
}

/** The hit as the second opinion has it. */
export function withRerank(hit: Hit, rank: number, score: number): Hit {
  return {
    ...hit,
    rank,
    scores: { ...hit.scores, rerank: Math.round(score * 10_000) / 10_000 },
    ranks: { ...hit.ranks, rerank: rank },
    why: `${hit.why}, rerank: rank ${rank}`,
  };
}
