// An ONNX model at work, in the embedding process: tokens in, one vector of length 1 per text out. On onnxruntime-node where it is
// installed (native, about eight times as quick), else on the wasm build that comes with Millrace.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { toUnitLength } from './embedder.ts';
import { type ModelFolder, onnxFolder, readTokenizer } from './model-folder.ts';
import type { WordPiece } from './word-piece.ts';

interface Tensor {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Record<string, unknown>): Promise<Record<string, Tensor>>;
}

interface OnnxRuntime {
  readonly Tensor: new (type: string, data: BigInt64Array, dims: readonly number[]) => unknown;
  readonly InferenceSession: { create(model: Uint8Array | string, options?: object): Promise<Session> };
  readonly env: { wasm: { numThreads: number; wasmPaths: string } };
}

export type RuntimeKind = 'native' | 'wasm';

export class OnnxModel {
  readonly runtime: RuntimeKind;
  readonly #session: Session;
  readonly #onnx: OnnxRuntime;
  readonly #tokenizer: WordPiece;
  readonly #model: ModelFolder;

  private constructor(model: ModelFolder, onnx: OnnxRuntime, session: Session, runtime: RuntimeKind) {
    this.#model = model;
    this.#onnx = onnx;
    this.#session = session;
    this.runtime = runtime;
    this.#tokenizer = readTokenizer(model.folder);
  }

  /** `from`: the folder whose packages may hold the native runtime; default: those of Millrace. */
  static async load(model: ModelFolder, wanted: RuntimeKind | 'auto', from?: string): Promise<OnnxModel> {
    const native = wanted === 'wasm' ? undefined : await loadNative(from);
    if (native !== undefined) {
      const session = await native.InferenceSession.create(model.weights, { graphOptimizationLevel: 'all' });
      return new OnnxModel(model, native, session, 'native');
    }
    if (wanted === 'native') throw new Error('onnxruntime-node is not installed, and EMBEDDING_RUNTIME is native');
    const onnx = (await import(pathToFileURL(path.join(onnxFolder, 'ort.wasm.min.mjs')).href)) as OnnxRuntime;
    onnx.env.wasm.numThreads = 1;
    onnx.env.wasm.wasmPaths = `${pathToFileURL(onnxFolder).href}/`;
    const session = await onnx.InferenceSession.create(new Uint8Array(await readFile(model.weights)));
    return new OnnxModel(model, onnx, session, 'wasm');
  }

  /** One text per pass: padding texts of different lengths to one costs more than it saves on a few cores. */
  async embed(text: string): Promise<Float32Array> {
    const ids = this.#tokenizer.encode(text, this.#model.maxTokens);
    const ones = ids.map(() => 1);
    const zeros = ids.map(() => 0);
    const given: Record<string, readonly number[]> = { input_ids: ids, attention_mask: ones, token_type_ids: zeros };
    const feeds = Object.fromEntries(
      this.#session.inputNames
        .filter((name) => given[name] !== undefined)
        .map((name) => [
          name,
          new this.#onnx.Tensor('int64', BigInt64Array.from(given[name] ?? [], BigInt), [1, ids.length]),
        ]),
    );
    const answer = await this.#session.run(feeds);
    const states = answer.last_hidden_state ?? answer[this.#session.outputNames[0] ?? ''];
    if (states === undefined) throw new Error('the model answers with no hidden states');
    return toUnitLength(this.#pool(states, ids.length));
  }

  #pool({ data, dims }: Tensor, tokens: number): Float32Array {
    const width = dims.at(-1) ?? this.#model.dims;
    if (this.#model.pooling === 'cls') return data.slice(0, width);
    const sum = new Float32Array(width);
    for (let token = 0; token < tokens; token++)
      for (let at = 0; at < width; at++) sum[at] = (sum[at] ?? 0) + (data[token * width + at] ?? 0);
    return sum.map((value) => value / tokens);
  }
}

/** Not a dependency: it takes 290 MB. For its speed, install it beside Millrace. */
async function loadNative(from?: string): Promise<OnnxRuntime | undefined> {
  const name = 'onnxruntime-node';
  try {
    const place = from === undefined ? name : createRequire(path.join(from, 'package.json')).resolve(name);
    const module = (await import(place)) as OnnxRuntime & { default?: OnnxRuntime };
    return module.default ?? module;
  } catch {
    return undefined;
  }
}
