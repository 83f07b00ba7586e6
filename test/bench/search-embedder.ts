// The embedded model for the search bench, native where that can be fetched. Vectors are kept beside the system's temporary files: embedding
// two collections takes minutes, measuring on them should not.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Embedder, vectorBytes, vectorOf } from '../../src/pipelines/documents/embedding/embedder.ts';
import {
  embeddedFolder,
  readModelFolder,
  readTokenizer,
} from '../../src/pipelines/documents/embedding/model-folder.ts';
import { OnnxModel } from '../../src/pipelines/documents/embedding/onnx-model.ts';
import { embeddedModel } from '../../src/pipelines/documents/embedding/open-embedder.ts';
import { findNativeRuntime } from './native-runtime.ts';

export async function openKeptEmbedder(say: (line: string) => void): Promise<Embedder> {
  const native = findNativeRuntime(say);
  const model = await OnnxModel.load(readModelFolder(embeddedFolder), native === undefined ? 'wasm' : 'native', native);
  const file = path.join(tmpdir(), `millrace-bench-vectors-${embeddedModel.modelId.replace(/\W+/g, '-')}.tsv`);
  const kept = new Map<string, Float32Array>();
  if (existsSync(file))
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const [hash, vector] = line.split('\t');
      if (hash !== undefined && vector !== undefined && vector.length === 2048)
        kept.set(hash, vectorOf(Buffer.from(vector, 'base64')));
    }
  say(`${kept.size} vectors are kept in ${file}`);
  const tokenizer = readTokenizer(embeddedFolder);
  const embedOne = async (text: string) => {
    const hash = createHash('sha256').update(text).digest('hex');
    const known = kept.get(hash);
    if (known !== undefined) return known;
    const vector = await model.embed(text);
    kept.set(hash, vector);
    appendFileSync(file, `${hash}\t${vectorBytes(vector).toString('base64')}\n`);
    return vector;
  };
  return {
    facts: embeddedModel,
    countTokens: (text) => tokenizer.count(text),
    async embed(texts) {
      const vectors: Float32Array[] = [];
      for (const text of texts) vectors.push(await embedOne(text));
      return vectors;
    },
    runtime: async () => model.runtime,
    close() {},
  };
}
