// The numbers of retrieval, measured on two public collections (docs/performance.md says how, and what each is worth).

export interface Tuning {
  readonly k1: number;
  readonly b: number;
  /** What a word in title or headings counts in the text. */
  readonly headWeight: number;
  /** Words stop giving candidates once this many versions have been read. */
  readonly candidateVersions: number;
  /** Chunks that words and vectors bring to the fusion, each. */
  readonly candidates: number;
  readonly vectorWeight: number;
  /** What title and first page of its document add to a chunk. */
  readonly documentWeight: number;
}

export const tuning: Tuning = {
  k1: 1.2,
  b: 0.75,
  headWeight: 1,
  candidateVersions: 3_000,
  candidates: 150,
  vectorWeight: 0.5,
  documentWeight: 0.15,
};
