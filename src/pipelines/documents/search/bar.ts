// The bar a question's evidence must pass, measured for a model: at it 98 of 100 foreign questions are refused, and one of its own.
// docs/decisions/0181 and 0551 say on what.

export interface Bar {
  readonly below: number;
  readonly measuredFor: string;
}

/** By model; the first part of its id, since weights of one name differ little. */
const measured: Readonly<Record<string, number>> = { 'all-MiniLM-L6-v2-int8': 0.63 };
const GENERAL = 0.63;
/** Without vectors the share of the question's words decides alone. */
const WORDS_ONLY = 0.25;

export function barOf(
  model: { readonly modelId: string; readonly abstainBelow: number | null } | undefined,
  usesVectors: boolean,
): Bar {
  if (!usesVectors) return { below: WORDS_ONLY, measuredFor: 'words' };
  if (model === undefined) return { below: GENERAL, measuredFor: 'any model' };
  if (model.abstainBelow !== null) return { below: model.abstainBelow, measuredFor: model.modelId };
  const known = measured[model.modelId.split('@')[0] ?? ''];
  return known === undefined
    ? { below: GENERAL, measuredFor: 'any model' }
    : { below: known, measuredFor: model.modelId };
}
