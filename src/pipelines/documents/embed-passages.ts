// Vectors: passages are taken 64 at a time; whose text was embedded before with this model, in whatever document of the tenant, costs
// nothing. New vectors go into the ledger with the checkpoint, so that no text is ever embedded twice.

import { embeddedText } from './chunking/passages.ts';
import { type DocumentsDeps, PASSAGES_PER_PART } from './deps.ts';
import type { DocumentContext } from './document-context.ts';
import { signBits, vectorBytes } from './embedding/embedder.ts';
import { type ProcessState, timed } from './process-state.ts';
import { listPassages } from './sql/chunks.ts';
import { insertVectors, knownHashes, recordModel } from './sql/vectors.ts';

export async function embedPassages(
  context: DocumentContext,
  deps: DocumentsDeps,
  from: ProcessState,
): Promise<ProcessState> {
  const { run, input, commit, progress, signal } = context;
  const { facts } = deps.embedder;
  const { tenantId } = run;
  let state = from;
  let done = state.embedded + state.reused;
  await commit((tx) => recordModel(tx, tenantId, facts));
  while (state.step === 'vectors') {
    const limit = deps.passagesPerPart ?? PASSAGES_PER_PART;
    const some = await commit(async (tx) => {
      const passages = await listPassages(tx, tenantId, state.versionId, state.nextChunk, limit);
      const known = await knownHashes(
        tx,
        tenantId,
        facts.modelId,
        passages.map(({ hash }) => hash),
      );
      return passages.map((passage) => ({ ...passage, isKnown: known.has(passage.hash.toString('hex')) }));
    });
    // Within one batch the same text may stand twice.
    const fresh = [
      ...new Map(some.filter(({ isKnown }) => !isKnown).map((each) => [each.hash.toString('hex'), each])).values(),
    ];
    const texts = fresh.map(({ headingPath, text }) => embeddedText(input.title, headingPath, text));
    const { value: vectors, timings } = await timed(state, 'embed_ms', () => deps.embedder.embed(texts, signal));
    const last = some.at(-1);
    done += some.length;
    state = {
      ...state,
      timings,
      embedded: state.embedded + fresh.length,
      reused: state.reused + some.length - fresh.length,
      ...(last === undefined || some.length < limit
        ? { step: 'terms' as const, nextChunk: 0 }
        : { nextChunk: last.position + 1 }),
    };
    const rows = fresh.map(({ hash }, at) => {
      const vector = vectors[at] ?? new Float32Array(facts.dims);
      return { hash, embedding: vectorBytes(vector), bits: signBits(vector) };
    });
    await commit((tx) => insertVectors(tx, tenantId, facts.modelId, rows), { checkpoint: state });
    progress({ done, total: state.passages, unit: 'passages', note: 'embedding' });
  }
  return state;
}
