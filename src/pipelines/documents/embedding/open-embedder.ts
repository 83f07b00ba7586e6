// The embedder that the settings name. Nothing is loaded here: the model is, with the first text.
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { DocumentSettings } from '../settings.ts';
import type { Embedder, ModelFacts } from './embedder.ts';
import { HttpEmbedder } from './http-embedder.ts';
import { embeddedFolder, readModelFolder } from './model-folder.ts';
import { OnnxEmbedder } from './onnx-embedder.ts';

/** By the first characters of the SHA-256 of its weights: other weights are another model. */
export const embeddedModel: ModelFacts = {
  modelId: 'all-MiniLM-L6-v2-int8@afdb6f1a',
  name: 'all-MiniLM-L6-v2',
  provider: 'embedded',
  dims: 384,
  maxTokens: 256,
};

const HTTP_MAX_TOKENS = 512;

export function openEmbedder(settings: DocumentSettings): Embedder {
  switch (settings.embeddingProvider) {
    case 'embedded':
      return new OnnxEmbedder(embeddedModel, embeddedFolder, settings.embeddingRuntime);
    case 'local':
      return openLocal(settings);
    case 'http':
      return openHttp(settings);
  }
}

function openLocal({ embeddingModelPath, embeddingModel, embeddingRuntime }: DocumentSettings): Embedder {
  const folder = path.resolve(embeddingModelPath ?? '');
  const { weights, dims, maxTokens } = readModelFolder(folder);
  const name = embeddingModel ?? path.basename(folder);
  // Reading hundreds of megabytes at every start only to name them is too dear; size and time tell other weights too.
  const { size, mtimeMs } = statSync(weights);
  const mark = createHash('sha256')
    .update(`${size}:${Math.round(mtimeMs)}`)
    .digest('hex')
    .slice(0, 8);
  const facts: ModelFacts = { modelId: `${name}@${mark}`, name, provider: 'local', dims, maxTokens };
  return new OnnxEmbedder(facts, folder, embeddingRuntime);
}

function openHttp(settings: DocumentSettings): Embedder {
  const { embeddingUrl: url, embeddingModel: name, embeddingDim: dims } = settings;
  if (url === undefined || name === undefined || dims === 0)
    throw new MillraceError('embedding_model_unusable', {
      reason: 'EMBEDDING_PROVIDER=http needs EMBEDDING_URL, EMBEDDING_MODEL and EMBEDDING_DIM',
    });
  const facts: ModelFacts = {
    modelId: `${name}@http-${dims}`,
    name,
    provider: 'http',
    dims,
    maxTokens: HTTP_MAX_TOKENS,
  };
  return new HttpEmbedder(facts, {
    url,
    api: settings.embeddingApi,
    apiKey: settings.embeddingApiKey,
    maxBatch: settings.embeddingBatch,
    timeoutMs: settings.embeddingTimeoutSeconds * 1_000,
  });
}
