// npm run bench -- search --data DIR: how well documents are found and refused, and how quickly. Collections go in through /v1/ingest and
// are asked through /v1/search and /v1/query; DIR holds NAME-docs.jsonl, NAME-queries.jsonl and NAME-qrels.tsv. Latency is measured over HTTP on
// a seeded tenant beside 1,000 small ones.

import { type BenchOptions, type BenchResult, describeMachine } from './report.ts';
import { benchCollections } from './search-collections.ts';
import { benchLatency } from './search-latency.ts';
import { openSearchServer } from './search-server.ts';

const SIZES = [5_000, 200_000];
const QUICK_SIZES = [5_000];

export async function benchSearch({ quick, say, data }: BenchOptions): Promise<BenchResult> {
  const server = await openSearchServer(say);
  try {
    const quality = data === undefined ? [] : await benchCollections(server, data, { quick, say });
    if (data === undefined) say('no --data DIR: how well is not measured');
    const latency = await benchLatency(server, { sizes: quick ? QUICK_SIZES : SIZES, quick, say });
    return {
      machine: { ...describeMachine(), embedding: server.runtime },
      figures: [...quality, ...latency],
    };
  } finally {
    await server.close();
  }
}
