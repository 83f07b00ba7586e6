import { describe, expect, it } from 'vitest';
import { measureNames, measureTitle, measureValue } from './measure-names.ts';

describe('measure columns', () => {
  it('put the well-known measures first and leave out those without any value', () => {
    expect(
      measureNames([
        { video_views: '1', clicks: '2', reach: null },
        { spend: '1', clicks: '3' },
      ]),
    ).toEqual(['spend', 'clicks', 'video_views']);
  });

  it('are titled in words, and money has its decimals', () => {
    expect(measureTitle('link_clicks')).toBe('Link clicks');
    expect([measureValue('spend', '700'), measureValue('clicks', '1700')]).toEqual(['700.00', '1,700']);
  });
});
