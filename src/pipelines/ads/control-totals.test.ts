import { describe, expect, it } from 'vitest';
import { ControlTotals } from './control-totals.ts';

const row = (spend: string | null, impressions: string | null = null, clicks: string | null = null) => [
  spend,
  impressions,
  clicks,
  null,
  null,
  null,
  null,
  null,
];

describe('control totals', () => {
  it('add up to the last digit, whatever the size, sign and number of decimals', () => {
    const totals = new ControlTotals();
    for (const spend of ['0.1', '0.2', '1000000.01', '-3.5', '0.0000001', '123456789012345678.25', null])
      totals.addRow(row(spend, '7', null));
    expect(totals.toJSON()).toEqual({ spend: '123456789013345675.0600001', impressions: '49', clicks: '0' });
  });

  it('go on from what a checkpoint kept', () => {
    const first = new ControlTotals();
    first.addRow(row('0.1', '1', '2'));
    const second = new ControlTotals(JSON.parse(JSON.stringify(first)));
    second.addRow(row('0.2', '1', '2'));
    expect(second.toJSON()).toEqual({ spend: '0.3', impressions: '2', clicks: '4' });
  });

  it('a million small amounts are exact where floats would drift', () => {
    const totals = new ControlTotals();
    const one = row('0.01', '999999999', '1');
    for (let i = 0; i < 1_000_000; i++) totals.addRow(one);
    expect(totals.toJSON()).toEqual({ spend: '10000', impressions: '999999999000000', clicks: '1000000' });
  });
});
