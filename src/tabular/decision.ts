// Something the reader decided: the value, how sure it is, and why, in a sentence a user can read. Plain JSON throughout.

/** `exact`: the file says so. `likely`: the evidence points one way. `guess`: it had to choose; look at it. */
export type Confidence = 'exact' | 'likely' | 'guess';

export interface Decision<T> {
  readonly value: T;
  readonly confidence: Confidence;
  readonly reason: string;
}

export function decided<T>(value: T, confidence: Confidence, reason: string): Decision<T> {
  return { value, confidence, reason };
}

export function chosenByUser<T>(value: T): Decision<T> {
  return { value, confidence: 'exact', reason: 'chosen by the user' };
}
