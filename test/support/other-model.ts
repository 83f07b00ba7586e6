// A second model for tests of the change from one to another: other dimensions, over HTTP.
import { HttpEmbedder } from '../../src/pipelines/documents/embedding/http-embedder.ts';

export const OTHER_DIMS = 24;
export const OTHER_MODEL = `other@http-${OTHER_DIMS}`;

export function otherModel(url: string): HttpEmbedder {
  return new HttpEmbedder(
    { modelId: OTHER_MODEL, name: 'other', provider: 'http', dims: OTHER_DIMS, maxTokens: 512 },
    { url, api: 'openai', apiKey: undefined, maxBatch: 64, timeoutMs: 60_000 },
  );
}
