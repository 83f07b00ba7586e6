// Vectors: passages are taken 64 at a time; whose text was embedded before with this model, in whatever document of the tenant, costs
// nothing. New vectors go into the ledger with the checkpoint, so that no text is ever embedded twice.
//
// A tenant that is changing to another model gets vectors of both. What the other one cannot do now is left to the build
// (model-swap/build-vectors.ts): a new model in trouble stops no document.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { embeddedText } from './chunking/passages.ts';
import { type DocumentsDeps, PASSAGES_PER_PART } from './deps.ts';
import type { DocumentContext } from './document-context.ts';
import { type Embedder, signBits, vectorBytes } from './embedding/embedder.ts';
import { embeddersOfTenant } from './embedding/tenant-embedders.ts';
import { type ProcessState, timed } from './process-state.ts';
import { listPassages, type PassageToEmbed } from './sql/chunks.ts';
import { insertVectors, knownHashes, recordTexts, type VectorRow } from './sql/vectors.ts';

/** A model beside the active one has this long for one part. */
const BESIDE_WITHIN_MS = 30_000;

export async function embedPassages(
  context: DocumentContext,
  deps: DocumentsDeps,
  from: ProcessState,
): Promise<ProcessState> {
  const { run, input, commit, progress, signal } = context;
  const { tenantId } = run;
  let state = from;
  let done = state.embedded + state.reused;
  const embedders = await embeddersOfTenant(context, deps);
  const { main } = embedders;
  let { beside } = embedders;
  while (state.step === 'vectors') {
    const limit = deps.passagesPerPart ?? PASSAGES_PER_PART;
    const passages = await commit((tx) => listPassages(tx, tenantId, state.versionId, state.nextChunk, limit));
    const { value: made, timings } = await timed(state, 'embed_ms', () =>
      embedFresh(context, main, passages, input.title, signal),
    );
    const others: { readonly modelId: string; readonly rows: readonly VectorRow[] }[] = [];
    for (const embedder of beside) {
      const { modelId } = embedder.facts;
      try {
        const within = AbortSignal.any([signal, AbortSignal.timeout(BESIDE_WITHIN_MS)]);
        others.push({ modelId, rows: await embedFresh(context, embedder, passages, input.title, within) });
      } catch (error) {
        signal.throwIfAborted();
        context.log.warn({ model: modelId, err: error }, 'a model beside the active one failed; its build comes later');
        beside = beside.filter((each) => each !== embedder);
      }
    }
    const last = passages.at(-1);
    done += passages.length;
    state = {
      ...state,
      timings,
      modelId: main.facts.modelId,
      embedded: state.embedded + made.length,
      reused: state.reused + passages.length - made.length,
      ...(last === undefined || passages.length < limit
        ? { step: 'terms' as const, nextChunk: 0 }
        : { nextChunk: last.position + 1 }),
    };
    await commit(
      async (tx) => {
        await insertVectors(tx, tenantId, main.facts.modelId, made);
        for (const { modelId, rows } of others) await insertVectors(tx, tenantId, modelId, rows);
        // Reused ones too: who made them may be purged before this run fails, and then nobody else knows of them.
        await recordTexts(
          tx,
          tenantId,
          input.doc_id,
          passages.map(({ hash }) => hash),
        );
      },
      { checkpoint: state },
    );
    progress({ done, total: state.passages, unit: 'passages', note: 'embedding' });
  }
  return state;
}

/** Vectors of those whose text has none yet. Within one part the same text may stand twice. */
async function embedFresh(
  { run, commit }: DocumentContext,
  embedder: Embedder,
  passages: readonly PassageToEmbed[],
  title: string,
  signal: AbortSignal,
): Promise<VectorRow[]> {
  const { modelId, dims } = embedder.facts;
  const hashes = passages.map(({ hash }) => hash);
  const known = await commit((tx) => knownHashes(tx, run.tenantId, modelId, hashes));
  const unknown = passages.filter(({ hash }) => !known.has(hash.toString('hex')));
  const fresh = [...new Map(unknown.map((each) => [each.hash.toString('hex'), each])).values()];
  const texts = fresh.map(({ headingPath, text }) => embeddedText(title, headingPath, text));
  const vectors = await embedder.embed(texts, signal);
  return fresh.map(({ hash }, at) => {
    const vector = vectors[at];
    // A vector that is none would stay in the ledger for good.
    if (vector?.length !== dims)
      throw new MillraceError('embedding_provider_failed', { reason: `a text was left without its ${dims} numbers` });
    return { hash, embedding: vectorBytes(vector), bits: signBits(vector) };
  });
}
