import { describe, expect, it } from 'vitest';
import { readJudgmentSearch } from './judgment-search.ts';

describe('the judgments in the address', () => {
  it('keep a case number that looks like a number as text', () => {
    expect(readJudgmentSearch({ case_number: 812 })).toEqual({ case_number: '812' });
  });

  it('leave out what is not understood', () => {
    expect(readJudgmentSearch({ plaintiff_id: 'all of them', county: '', x: 1 })).toEqual({});
  });
});
