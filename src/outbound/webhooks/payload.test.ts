// What a webhook says and does not say, which events an endpoint wants, and when a try is made again.
import { describe, expect, it } from 'vitest';
import { wantsEvent } from '../../contract/api/webhook-events.ts';
import { buildPayload } from './payload.ts';
import { pauseBeforeTry, retryTableMs } from './retry-table.ts';
import { judgeAnswer } from './verdict.ts';

const event = {
  event_id: 7,
  tenant_id: 't',
  run_id: 'r',
  type: 'run.done',
  data: {},
  created_at: new Date('2026-02-15T12:00:00Z'),
};
const dataOf = (payload: string) => JSON.parse(payload).data;

describe('a payload', () => {
  it('takes only known fields, and only numbers, flags, ids and words', () => {
    const data = {
      status: 'completed',
      attempt: 2,
      error_code: 'not a word',
      reason: 'ada@example.com',
      message: 'Ada Lovelace',
      row: { name: 'Ada' },
      stage: ['Ada'],
      pipeline: 'ads',
    };
    expect(dataOf(buildPayload({ ...event, data }, undefined))).toEqual({
      tenant_id: 't',
      run_id: 'r',
      status: 'completed',
      attempt: 2,
      pipeline: 'ads',
    });
  });

  it('has the counts of the receipt at the end of a run, and no control totals', () => {
    const run = {
      pipeline: 'ads',
      correlation_id: 'Ada Lovelace',
      receipt: { read: 2, outcomes: { inserted: 2, 'Ada Lovelace': 1, odd: 'x' }, spend: '12' },
    };
    expect(dataOf(buildPayload(event, run))).toEqual({
      tenant_id: 't',
      run_id: 'r',
      pipeline: 'ads',
      receipt: { read: 2, outcomes: { inserted: 2 } },
    });
    expect(dataOf(buildPayload({ ...event, type: 'run.started' }, run))).not.toHaveProperty('receipt');
  });

  it('says the doubts about a file in words of ours, and nothing that the file says', () => {
    const inDoubt = [{ code: 'total_differs', message: 'Ada Lovelace', rows_at_stake: 2, lines: [4] }];
    const receipt = {
      read: 2,
      outcomes: { inserted: 2 },
      doubts: { total_differs: 1, own_doubt: 2 },
      in_doubt: inDoubt,
    };
    const payload = buildPayload(event, { pipeline: 'ads', correlation_id: null, receipt });
    expect(dataOf(payload).receipt).toEqual({
      read: 2,
      outcomes: { inserted: 2 },
      doubts: { total_differs: 1, own_doubt: 2 },
      in_doubt: ['The total row of the file differs from its rows.', 'own_doubt'],
    });
    expect(payload).not.toContain('Ada');
  });
});

describe('an endpoint', () => {
  it.each([
    [['*'], 'anything.at_all', true],
    [['run.done'], 'run.done', true],
    [['run.done'], 'run.done.more', false],
    [['run.*'], 'run.failed', true],
    [['run.*'], 'runaway', false],
    [['run.*'], 'run', false],
    [['run.dead', 'job.*'], 'job.retry', true],
    [['*'], 'webhook.test', false],
  ])('that asks for %j and %s: %s', (patterns, type, wanted) => {
    expect(wantsEvent(patterns, type)).toBe(wanted);
  });
});

describe('the pauses between tries', () => {
  it('grow, span three days, vary by a fifth, and end', () => {
    expect([...retryTableMs].sort((a, b) => a - b)).toEqual(retryTableMs);
    const days = retryTableMs.reduce((sum, pause) => sum + pause, 0) / 86_400_000;
    expect(days).toBeGreaterThan(3);
    expect(days).toBeLessThan(3.5);
    expect(pauseBeforeTry(0, [1_000], 0)).toBe(800);
    expect(pauseBeforeTry(0, [1_000], 1)).toBe(1_200);
    expect(pauseBeforeTry(1, [1_000])).toBeUndefined();
  });
});

describe('an answer', () => {
  it.each([
    [200, undefined, 'delivered', undefined],
    [204, 5_000, 'delivered', undefined],
    [301, undefined, 'refused', 'webhook_redirected'],
    [400, undefined, 'refused', 'webhook_refused'],
    [410, 5_000, 'gone', 'webhook_gone'],
    [429, 5_000, 'later', 'webhook_rate_limited'],
    [429, undefined, 'refused', 'webhook_refused'],
    [503, 5_000, 'later', 'webhook_rate_limited'],
    [500, 5_000, 'refused', 'webhook_refused'],
  ])('%s with Retry-After %s means %s', (status, wait, kind, code) => {
    const verdict = judgeAnswer('e', {
      status,
      text: '',
      ms: 1,
      ...(wait === undefined ? {} : { retryAfterMs: wait }),
    });
    expect([verdict.kind, verdict.error?.code]).toEqual([kind, code]);
  });
});
