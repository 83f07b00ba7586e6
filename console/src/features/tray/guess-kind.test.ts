import { describe, expect, it } from 'vitest';
import { decodeHead, guessKind } from './guess-kind.ts';
import { kindsOf } from './kinds.ts';

const tables = ['csv', 'xlsx'];
const served = [
  { name: 'ads', title: 'Ads', accepts: tables },
  { name: 'judgments', title: 'Judgments', accepts: tables },
  { name: 'syncs', title: 'Syncs', accepts: [] },
];
const guess = (head: string, filename: string, pipelines = served) =>
  guessKind(head, filename, kindsOf(pipelines))?.kind.name;

describe('guessing what a file is', () => {
  it('knows each platform by the columns only it has', () => {
    expect(guess('Reporting starts,Campaign name,Ad set name,Amount spent (USD)', 'x.csv')).toBe('meta');
    expect(guess('Campaign report\n"January 1"\nCampaign,Impr.,Cost', 'x.csv')).toBe('google');
    expect(guess('Campaign name,By Day,Cost,Clicks (destination)', 'x.csv')).toBe('tiktok');
  });

  it('knows a batch of judgments by its columns', () => {
    expect(guess('case_number,plaintiff_name,defendant_name,judgment_amount', 'x.csv')).toBe('judgments');
  });

  it('goes by the name when the content says nothing', () => {
    expect(guess('', 'tiktok_june.xlsx')).toBe('tiktok');
  });

  it('does not guess when columns or names speak for two platforms', () => {
    expect(guess('By Day,Impr.', 'x.csv')).toBeUndefined();
    expect(guess('', 'google-and-meta.csv')).toBeUndefined();
    expect(guess('Campaign,Cost,Clicks', 'june.csv')).toBeUndefined();
  });

  it('knows a file by an ending that only one pipeline takes, also of a pipeline the console has no kit for', () => {
    const more = [...served, { name: 'measurements', title: 'Measurements', accepts: ['csv', 'dat'] }];
    expect(guess('', 'june.DAT', more)).toBe('measurements');
    expect(guess('', 'june.csv', more)).toBeUndefined();
    expect(kindsOf(more).map(({ title }) => title)).toEqual(['Meta', 'Google', 'TikTok', 'Judgments', 'Measurements']);
  });

  it('offers no kind of a pipeline that this server does not have', () => {
    expect(kindsOf(served.slice(1)).map(({ name }) => name)).toEqual(['judgments']);
  });

  it('reads UTF-16 heads and leaves zip containers alone', () => {
    expect(decodeHead(new Uint8Array([0xff, 0xfe, 0x41, 0, 0x42, 0]))).toContain('AB');
    expect(decodeHead(new Uint8Array([0x50, 0x4b, 3, 4]))).toBe('');
  });
});
