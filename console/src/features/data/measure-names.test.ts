import { describe, expect, it } from 'vitest';
import { measureNames } from './measure-names.ts';

describe('measure columns', () => {
  it('put the well-known measures first and leave out those without any value', () => {
    expect(
      measureNames([
        { video_views: '1', clicks: '2', reach: null },
        { spend: '1', clicks: '3' },
      ]),
    ).toEqual(['spend', 'clicks', 'video_views']);
  });
});
