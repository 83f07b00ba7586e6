// The embedder that the settings name. Nothing is loaded here: the model is, with the first text.
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
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
const MARK_BYTES = 1024 ** 2;

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
  const mark = markOf(weights);
  const facts: ModelFacts = { modelId: `${name}@${mark}`, name, provider: 'local', dims, maxTokens };
  return new OnnxEmbedder(facts, folder, embeddingRuntime);
}

/**
 * Tells other weights, and is the same on every machine that has these. Reading hundreds of megabytes at every start only to name them is
 * too dear: size, beginning and end do.
 */
function markOf(weights: string): string {
  const { size } = statSync(weights);
  const hash = createHash('sha256').update(String(size));
  const file = openSync(weights, 'r');
  try {
    for (const at of [0, Math.max(0, size - MARK_BYTES)]) {
      const bytes = Buffer.alloc(Math.min(MARK_BYTES, size));
      readSync(file, bytes, 0, bytes.length, at);
      hash.update(bytes);
    }
  } finally {
    closeSync(file);
  }
  return hash.digest('hex').slice(0, 8);
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
