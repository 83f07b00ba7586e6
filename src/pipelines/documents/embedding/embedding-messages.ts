// What the embedding process is asked and what it answers.
export interface EmbeddingRequest {
  readonly id: number;
  readonly folder: string;
  readonly runtime: 'auto' | 'native' | 'wasm';
  readonly texts: readonly string[];
}

export type EmbeddingAnswer =
  | { readonly id: number; readonly vectors: readonly Float32Array[]; readonly runtime: 'native' | 'wasm' }
  | { readonly id: number; readonly error: string };
