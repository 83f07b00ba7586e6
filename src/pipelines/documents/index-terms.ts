// Terms: the words of each chunk as Postgres stems them in the language of the document, title and headings weighed apart.

import type { DocumentContext } from './document-context.ts';
import { searchableText } from './language.ts';
import { type ProcessState, timed } from './process-state.ts';
import { listChunkTexts } from './sql/chunks.ts';
import { insertTerms } from './sql/terms.ts';

const CHUNKS_PER_PART = 200;

export async function indexTerms(context: DocumentContext, from: ProcessState): Promise<ProcessState> {
  const { run, input, commit, progress } = context;
  const { tenantId } = run;
  let state = from;
  while (state.step === 'terms') {
    const { versionId, nextChunk, config } = state;
    const chunks = await commit((tx) => listChunkTexts(tx, tenantId, versionId, nextChunk, CHUNKS_PER_PART));
    const isLast = chunks.length < CHUNKS_PER_PART;
    const { timings } = await timed(state, 'fts_ms', async () => undefined);
    const rows = chunks.map(({ chunkId, headingPath, text }) => ({
      chunkId,
      title: searchableText(input.title),
      headings: searchableText(headingPath.join(' \n ')),
      text: searchableText(text),
    }));
    const startedAt = performance.now();
    const next: ProcessState = {
      ...state,
      ...(isLast ? { step: 'activate' as const } : { nextChunk: nextChunk + chunks.length }),
    };
    await commit((tx) => insertTerms(tx, { tenantId, versionId, config }, rows), { checkpoint: next });
    state = { ...next, timings: { ...timings, fts_ms: timings.fts_ms + Math.round(performance.now() - startedAt) } };
    progress({ done: nextChunk + chunks.length, total: state.chunks, unit: 'chunks', note: 'indexing' });
  }
  return state;
}
