import { describe, expect, it } from 'vitest';
import { levelBelow, readDataSearch } from './data-search.ts';

describe('the place in the data', () => {
  it('keeps an 18-digit id as the text it is', () => {
    expect(readDataSearch({ campaign: '120208394857261049' })).toEqual({ campaign: '120208394857261049' });
  });

  it('knows no ad set without its campaign and no ad without its ad set', () => {
    expect(readDataSearch({ ad_set: 'a', ad: 'b' })).toEqual({});
    expect(readDataSearch({ campaign: 'c', ad: 'b' })).toEqual({ campaign: 'c' });
  });

  it('leaves out days and platforms it does not understand', () => {
    expect(readDataSearch({ since: 'yesterday', until: '2026-02-15', platform: 'myspace' })).toEqual({
      until: '2026-02-15',
    });
  });

  it('lists the level below', () => {
    expect(
      [{}, { campaign: 'c' }, { campaign: 'c', ad_set: 's' }, { campaign: 'c', ad_set: 's', ad: 'a' }].map(levelBelow),
    ).toEqual(['campaign', 'ad_set', 'ad', undefined]);
  });
});
