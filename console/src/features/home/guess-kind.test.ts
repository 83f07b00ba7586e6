import { describe, expect, it } from 'vitest';
import { decodeHead, guessKind } from './guess-kind.ts';

describe('guessing what a file is', () => {
  it('knows each platform by the columns only it has', () => {
    expect(guessKind('Reporting starts,Campaign name,Ad set name,Amount spent (USD)', 'x.csv')?.kind).toBe('meta');
    expect(guessKind('Campaign report\n"January 1"\nCampaign,Impr.,Cost', 'x.csv')?.kind).toBe('google');
    expect(guessKind('Campaign name,By Day,Cost,Clicks (destination)', 'x.csv')?.kind).toBe('tiktok');
  });

  it('knows a batch of judgments by its columns', () => {
    expect(guessKind('case_number,plaintiff_name,defendant_name,judgment_amount', 'x.csv')?.kind).toBe('judgments');
  });

  it('goes by the name when the content says nothing', () => {
    expect(guessKind('', 'tiktok_june.xlsx')).toEqual({ kind: 'tiktok', reason: 'the file’s name says so' });
  });

  it('does not guess when columns or names speak for two platforms', () => {
    expect(guessKind('By Day,Impr.', 'x.csv')).toBeUndefined();
    expect(guessKind('', 'google-and-meta.csv')).toBeUndefined();
    expect(guessKind('Campaign,Cost,Clicks', 'june.csv')).toBeUndefined();
  });

  it('reads UTF-16 heads and leaves zip containers alone', () => {
    expect(decodeHead(new Uint8Array([0xff, 0xfe, 0x41, 0, 0x42, 0]))).toContain('AB');
    expect(decodeHead(new Uint8Array([0x50, 0x4b, 3, 4]))).toBe('');
  });
});
