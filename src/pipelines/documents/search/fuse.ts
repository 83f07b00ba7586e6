// Scores of words and of vectors have nothing in common but their order and their spread: each is measured in standard deviations from the
// mean of the candidates, and the two are added. Ranks alone (RRF) say less and were measured worse.

export interface Fusable {
  readonly lexical: number;
  /** Undefined where there is no vector. */
  readonly vector: number | undefined;
}

export interface Fusion {
  score(chunk: Fusable): number;
}

/** `of` are the candidates; others may be scored by the same measure. */
export function fusionOf(
  of: readonly Fusable[],
  { vectorWeight, usesLexical, usesVector }: { vectorWeight: number; usesLexical: boolean; usesVector: boolean },
): Fusion {
  const lexical = spreadOf(of.map((chunk) => chunk.lexical));
  const vectors = of.flatMap((chunk) => (chunk.vector === undefined ? [] : [chunk.vector]));
  const vector = spreadOf(vectors);
  const furthest = vectors.length === 0 ? 0 : Math.min(...vectors);
  return {
    score(chunk) {
      const byWords = (chunk.lexical - lexical.mean) / lexical.deviation;
      const byVector = ((chunk.vector ?? furthest) - vector.mean) / vector.deviation;
      if (!usesVector) return byWords;
      if (!usesLexical) return byVector;
      return (1 - vectorWeight) * byWords + vectorWeight * byVector;
    },
  };
}

function spreadOf(values: readonly number[]): { mean: number; deviation: number } {
  if (values.length === 0) return { mean: 0, deviation: 1 };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) || 1 };
}
