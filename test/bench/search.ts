// Search: how well it finds and when it refuses, on public collections with judgements (--data DIR), and how quickly, on many chunks.
// Parts: `quality`, `seed` (fills and keeps what `latency` measures on), `latency`. Only latency needs a quiet machine.
import { type BenchOptions, type BenchResult, describeMachine, type Figure } from './report.ts';
import { benchCollections } from './search-collections.ts';
import { benchLatency, openSeeded } from './search-latency.ts';
import { openSearchServer } from './search-server.ts';

export async function benchSearch({ quick, say, data, only }: BenchOptions): Promise<BenchResult> {
  const wants = (part: string) => only === undefined || only.includes(part);
  const machine = describeMachine();
  const figures: Figure[] = [];
  let embedding: string | undefined;
  if (data === undefined) say('no --data DIR: how well is not measured');
  else if (wants('quality')) {
    const server = await openSearchServer(say);
    try {
      embedding = server.runtime;
      figures.push(...(await benchCollections(server, data, { quick, say })));
    } finally {
      await server.close();
    }
  }
  if (wants('latency') || wants('seed')) {
    const { server, kept } = await openSeeded({ quick, say, data });
    try {
      embedding = server.runtime;
      if (wants('latency')) figures.push(...(await benchLatency(server, kept, { quick, say, data })));
    } finally {
      await server.close();
    }
  }
  return { machine: { ...machine, embedding }, figures };
}
