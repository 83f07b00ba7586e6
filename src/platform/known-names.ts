// Names that nobody reads are refused, never ignored: a misspelt filter that is dropped answers another question than was asked.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { nearest } from './nearest.ts';

/**
 * Throws for the first name that is not known, with the known one that is spelt most like it. A name that resembles none is not
 * repeated: it may be a secret in the wrong place.
 */
export function refuseUnknownNames(kind: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const guess = nearest(unknown, known);
  const names = known.map((name) => `"${name}"`).join(', ');
  const hint = guess === undefined ? `known are ${names || 'none'}.` : `"${unknown}"; did you mean "${guess}"?`;
  throw new MillraceError('name_unknown', { kind, hint });
}
