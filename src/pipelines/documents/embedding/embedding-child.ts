// The process that embeds: it loads one model and answers with vectors, so that neither the event loop nor the memory of a worker carries
// them. It ends with its parent.
import type { EmbeddingAnswer, EmbeddingRequest } from './embedding-messages.ts';
import { readModelFolder } from './model-folder.ts';
import { OnnxModel } from './onnx-model.ts';

let loading: Promise<OnnxModel> | undefined;

async function answer({ id, folder, runtime, texts }: EmbeddingRequest): Promise<EmbeddingAnswer> {
  loading ??= OnnxModel.load(readModelFolder(folder), runtime);
  const model = await loading;
  const vectors: Float32Array[] = [];
  for (const text of texts) vectors.push(await model.embed(text));
  return { id, vectors, runtime: model.runtime };
}

// One request after the other: the model has one thread.
let queue = Promise.resolve();
process.on('message', (request: EmbeddingRequest) => {
  queue = queue.then(async () => {
    const said = await answer(request).catch(
      (error: unknown): EmbeddingAnswer => ({
        id: request.id,
        error: error instanceof Error ? error.message : String(error),
      }),
    );
    process.send?.(said);
  });
});
process.on('disconnect', () => process.exit(0));
