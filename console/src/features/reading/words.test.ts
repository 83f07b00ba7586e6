import { describe, expect, it } from 'vitest';
import { wordsIn, wordsOf } from './words.ts';

describe('a list of words', () => {
  it('is read from what a person types, each once, blanks around them left out', () => {
    expect(wordsIn(' n.d. , –,n.d., not set,, ')).toEqual(['n.d.', '–', 'not set']);
    expect(wordsIn('')).toEqual([]);
    expect(wordsIn(' , ')).toEqual([]);
  });

  it.each([[['N/A', '--']], [['a, b', 'c']], [['say "x"', '"']], [[]]])('%j comes back as it was shown', (words) => {
    expect(wordsIn(wordsOf(words))).toEqual(words);
  });
});
