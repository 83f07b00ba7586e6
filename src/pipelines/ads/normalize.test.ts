import { describe, expect, it } from 'vitest';
import type { ColumnMapping } from '../../tabular/mapping/mapping.ts';
import { KeyHasher } from './natural-key.ts';
import { fromMicros, Normalizer } from './normalize.ts';

const mapped = (...fields: string[]): ColumnMapping[] =>
  fields.map((field, column) => ({
    column,
    header: field.toUpperCase(),
    field,
    confidence: 'exact',
    reason: '',
    offers: [],
  }));
const place = { line: 4, offset: 99 };
const judge = (fields: string[], values: Record<string, string | null>) =>
  new Normalizer(mapped(...fields)).judge({ values, issues: [], currency: null }, place);

describe('a row', () => {
  it('derives ids from names, the same for the same name under the same parent', () => {
    const fields = ['metric_date', 'campaign_name', 'ad_set_name', 'spend'];
    const ids = (campaign: string, adSet: string) => {
      const { row } = judge(fields, {
        metric_date: '2024-01-01',
        campaign_name: campaign,
        ad_set_name: adSet,
        spend: '1',
      });
      return [row?.campaign?.externalId, row?.adSet?.externalId];
    };
    expect(ids('A', 'x')).toEqual(ids('A', 'x'));
    expect(ids('A', 'x')[1]).not.toBe(ids('B', 'x')[1]);
    expect(ids('A', 'x')[0]).toMatch(/^name:[0-9a-f]{32}$/);
  });

  it('has what is said for every row as if a column held it, but is no part of a larger number for it', () => {
    const constants = { metric_date: '2024-01-01', campaign_id: '7', device: 'mobile' };
    const normalizer = new Normalizer(mapped('spend'), constants);
    const { row } = normalizer.judge({ values: { ...constants, spend: '1' }, issues: [], currency: null }, place);
    expect(row).toMatchObject({ date: '2024-01-01', campaign: { externalId: '7' }, rest: { device: 'mobile' } });
    expect(normalizer.isSegmented).toBe(false);
    expect(new Normalizer(mapped('spend', 'device')).isSegmented).toBe(true);
  });

  it('says everything that is wrong with it at once, under the names the file uses', () => {
    const { row, issues } = judge(['metric_date', 'campaign_id', 'impressions', 'currency'], {
      metric_date: null,
      campaign_id: null,
      impressions: '-1',
      currency: 'dollars',
    });
    expect(row).toBeNull();
    expect(issues.map(({ code, column, line }) => [code, column, line])).toEqual([
      ['number_negative', 'IMPRESSIONS', 4],
      ['currency_malformed', 'CURRENCY', 4],
      ['day_missing', 'METRIC_DATE', 4],
      ['identity_missing', 'CAMPAIGN_ID', 4],
    ]);
  });

  it('keeps warnings beside a row that is taken', () => {
    const { row, issues } = judge(['metric_date', 'spend', 'impressions', 'clicks'], {
      metric_date: '2024-01-01',
      spend: '-2',
      impressions: '1',
      clicks: '5',
    });
    expect(row).not.toBeNull();
    expect(issues.map(({ code, severity }) => [code, severity])).toEqual([
      ['spend_negative', 'warning'],
      ['clicks_exceed_impressions', 'warning'],
    ]);
  });

  it.each([
    ['1234567', '1.234567'],
    ['5', '0.000005'],
    ['-2500000', '-2.5'],
    ['0', '0'],
    [null, null],
  ])('reads %s millionths as %s', (micros, units) => {
    expect(fromMicros(micros)).toBe(units);
  });
});

describe('natural keys', () => {
  it('differ in every part, and an absent part is not an empty one', () => {
    const scope = { workspaceId: 'w', clientId: null, platform: 'meta' };
    const keys = new KeyHasher(scope);
    const hashes = [
      keys.metric('2024-01-01', 'a', 'b', 'c'),
      keys.metric('2024-01-02', 'a', 'b', 'c'),
      keys.metric('2024-01-01', 'a', 'b', null),
      keys.metric('2024-01-01', 'a', 'b', ''),
      keys.metric('2024-01-01', 'ab', '', 'c'),
      keys.metric('2024-01-01', 'a\u001fb', 'c', 'd'),
      keys.metric('2024-01-01', 'a', 'b\u001fc', 'd'),
      keys.metric('2024-01-01', 'a\u001f', 'b', 'c'),
      keys.metric('2024-01-01', 'a', '\u001fb', 'c'),
      new KeyHasher({ ...scope, clientId: 'x' }).metric('2024-01-01', 'a', 'b', 'c'),
      keys.dimension('ad', 'c'),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(hashes.every((hash) => /^[0-9a-f]{64}$/.test(hash))).toBe(true);
  });
});
