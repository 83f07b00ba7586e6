import { describe, expect, it } from 'vitest';
import { decodeHead, guessPlatform } from './guess-platform.ts';

describe('guessing the platform of a file', () => {
  it('knows each platform by the columns only it has', () => {
    expect(guessPlatform('Reporting starts,Campaign name,Ad set name,Amount spent (USD)', 'x.csv')?.platform).toBe(
      'meta',
    );
    expect(guessPlatform('Campaign report\n"January 1"\nCampaign,Impr.,Cost', 'x.csv')?.platform).toBe('google');
    expect(guessPlatform('Campaign name,By Day,Cost,Clicks (destination)', 'x.csv')?.platform).toBe('tiktok');
  });

  it('goes by the name when the content says nothing', () => {
    expect(guessPlatform('', 'tiktok_june.xlsx')).toEqual({ platform: 'tiktok', reason: 'the file’s name says so' });
  });

  it('does not guess when columns or names speak for two platforms', () => {
    expect(guessPlatform('By Day,Impr.', 'x.csv')).toBeUndefined();
    expect(guessPlatform('', 'google-and-meta.csv')).toBeUndefined();
    expect(guessPlatform('Campaign,Cost,Clicks', 'june.csv')).toBeUndefined();
  });

  it('reads UTF-16 heads and leaves zip containers alone', () => {
    expect(decodeHead(new Uint8Array([0xff, 0xfe, 0x41, 0, 0x42, 0]))).toContain('AB');
    expect(decodeHead(new Uint8Array([0x50, 0x4b, 3, 4]))).toBe('');
  });
});
