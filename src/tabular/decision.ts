// A decision of the reader: the value, how certain it is, and the reason as a sentence for users. Plain JSON throughout.
// Where several answers are possible, the reader weighs each: every clue adds its log-odds, the sum becomes a certainty between 0 and 1, and the
// word for the certainty also depends on the second best answer.
import type { Clue, Evidence, Rival } from './reading-evidence.ts';

/** `exact`: the file says so. `likely`: the evidence points one way. `guess`: it had to choose; look at it. */
export type Confidence = 'exact' | 'likely' | 'guess';

export interface Decision<T> {
  readonly value: T;
  readonly confidence: Confidence;
  readonly reason: string;
  /** 0 to 1. Absent where nothing had to be weighed, and in readings stored before evidence was kept. */
  readonly certainty?: number;
  readonly evidence?: Evidence;
  readonly rival?: Rival;
}

/** Clues below this are seen and not worth telling. */
const WORTH_TELLING = 0.3;
/** With a rival above this share of our own odds nothing is exact. */
const CLOSE = 0.05;

export function decided<T>(value: T, confidence: Confidence, reason: string): Decision<T> {
  return { value, confidence, reason };
}

export function chosenByUser<T>(value: T): Decision<T> {
  return { value, confidence: 'exact', reason: 'chosen by the user' };
}

export function weigh(clues: readonly Clue[]): { readonly certainty: number; readonly evidence: Evidence } {
  const sum = clues.reduce((total, clue) => total + clue.weight, 0);
  const told = [...clues].sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
  return {
    certainty: rounded(1 / (1 + Math.exp(-sum))),
    evidence: {
      for: told.filter(({ weight }) => weight >= WORTH_TELLING).map(({ says }) => says),
      against: told.filter(({ weight }) => weight <= -WORTH_TELLING).map(({ says }) => says),
    },
  };
}

/** The word for a certainty: never "exact" with a close rival or with evidence against it that weighs. */
function confidenceOf(certainty: number, rival: Rival | null): Confidence {
  const isClose = rival !== null && oddsOf(rival.certainty) > oddsOf(certainty) * CLOSE;
  if (certainty >= 0.98 && !isClose) return 'exact';
  return certainty >= 0.7 ? 'likely' : 'guess';
}

/** A decision from its clues; `reason` is the sentence shown with it. */
export function weighed<T>(value: T, clues: readonly Clue[], rival: Rival | null, reason?: string): Decision<T> {
  const { certainty, evidence } = weigh(clues);
  return {
    value,
    confidence: confidenceOf(certainty, rival),
    reason: reason ?? evidence.for[0] ?? 'there is no evidence for another answer',
    certainty,
    evidence,
    ...(rival === null ? {} : { rival: { ...rival, certainty: rounded(rival.certainty) } }),
  };
}

function oddsOf(certainty: number): number {
  return certainty / Math.max(1e-6, 1 - certainty);
}

function rounded(certainty: number): number {
  return Math.round(certainty * 1000) / 1000;
}
