// What an embedding provider is, whichever it is: texts in, vectors of length 1 out, in order. Three stand behind it: the model that comes
// with Millrace (embedded), a folder with ONNX weights (local), and a service (http).

export interface ModelFacts {
  /** Vectors of two ids never meet in one comparison. */
  readonly modelId: string;
  readonly name: string;
  readonly provider: 'embedded' | 'http' | 'local';
  readonly dims: number;
  /** Longer texts are cut by the model. */
  readonly maxTokens: number;
}

export interface Embedder {
  readonly facts: ModelFacts;
  /** Tokens of the model, without the two it adds itself. */
  countTokens(text: string): number;
  /** Of the pieces of a text, the share that the model has never seen; left out where nobody can tell. */
  unknownShare?(text: string): number;
  /** `urgent`: somebody waits for it; it goes before what documents wait for. */
  embed(texts: readonly string[], signal?: AbortSignal, urgent?: boolean): Promise<Float32Array[]>;
  /** Where a model must be loaded first: ends when texts can be embedded. */
  load?(): Promise<void>;
  /** How it runs, for doctor: native, wasm, or the address of the service. */
  runtime(): Promise<string>;
  close(): void;
}

/** As it is stored: float32, little endian. */
export function vectorBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(vector.length * 4);
  for (let at = 0; at < vector.length; at++) bytes.writeFloatLE(vector[at] ?? 0, at * 4);
  return bytes;
}

export function vectorOf(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length: bytes.byteLength / 4 }, (_, at) => view.getFloat32(at * 4, true));
}

/** A bit per component, 1 where it is not negative. */
export function signBits(vector: Float32Array): string {
  let bits = '';
  for (const component of vector) bits += component >= 0 ? '1' : '0';
  return bits;
}

export function toUnitLength(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const component of vector) sum += component * component;
  const norm = Math.sqrt(sum);
  return norm === 0 || !Number.isFinite(norm) ? vector : vector.map((component) => component / norm);
}
