// The models this installation can embed with: the one of the EMBEDDING_* settings, the one that comes with Millrace, and those that
// EMBEDDING_MODELS lists. The operator says which there are; the admin of a tenant chooses among them.
import type { DocumentSettings } from '../settings.ts';
import type { Embedder } from './embedder.ts';
import { listedModels } from './listed-models.ts';
import { openEmbedder } from './open-embedder.ts';

export interface Embedders {
  readonly embedder: Embedder;
  /** Beside it, none of them twice. */
  readonly otherEmbedders: readonly Embedder[];
}

export function openEmbedders(settings: DocumentSettings): Embedders {
  const embedder = openEmbedder(settings);
  const others = new Map<string, Embedder>();
  const offer = (other: Embedder) => {
    const { modelId } = other.facts;
    if (modelId === embedder.facts.modelId || others.has(modelId)) other.close();
    else others.set(modelId, other);
  };
  offer(openEmbedder({ ...settings, embeddingProvider: 'embedded' }));
  for (const listed of listedModels(settings.embeddingModels))
    offer(
      openEmbedder(
        listed.provider === 'http'
          ? {
              ...settings,
              embeddingProvider: 'http',
              embeddingModel: listed.model,
              embeddingDim: listed.dim,
              embeddingUrl: listed.url,
              embeddingApi: listed.api,
              embeddingApiKey: listed.key,
            }
          : {
              ...settings,
              embeddingProvider: 'local',
              embeddingModel: listed.model,
              embeddingModelPath: listed.path,
            },
      ),
    );
  return { embedder, otherEmbedders: [...others.values()] };
}

type SomeEmbedders = Pick<Embedders, 'embedder'> & Partial<Embedders>;

export function allEmbedders({ embedder, otherEmbedders = [] }: SomeEmbedders): readonly Embedder[] {
  return [embedder, ...otherEmbedders];
}

/** Undefined: this installation does not know the model (any more). */
export function findEmbedder(embedders: SomeEmbedders, modelId: string): Embedder | undefined {
  return allEmbedders(embedders).find(({ facts }) => facts.modelId === modelId);
}
