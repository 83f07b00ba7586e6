// The numbers of retrieval, measured on two public collections (docs/decisions/0181 says on which, and what each is worth).

export interface Tuning {
  readonly k1: number;
  readonly b: number;
  /** What a word in title or headings counts in the text. */
  readonly headWeight: number;
  /** Words stop giving candidates once this many versions have been read. */
  readonly candidateVersions: number;
  /** Chunks that words and vectors bring to the fusion, each; more where more are asked for. */
  readonly candidates: number;
  readonly vectorWeight: number;
  /** What title and first page of its document add to a chunk. */
  readonly documentWeight: number;
}

export const tuning: Tuning = {
  k1: 1.6,
  b: 0.75,
  headWeight: 1,
  candidateVersions: 3_000,
  candidates: 50,
  vectorWeight: 0.6,
  documentWeight: 0.15,
};
