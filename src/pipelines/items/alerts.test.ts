import { describe, expect, it } from 'vitest';
import { itemsAlerts, itemsCompleted } from './alerts.ts';

function factOf(counts: { done?: number; not_found?: number; error?: number }) {
  const { done = 0, not_found = 0, error = 0 } = counts;
  const { type, data } = itemsCompleted('job', { total: done + not_found + error, done, not_found, error, skipped: 0 });
  return itemsAlerts.facts?.[type]?.({ data } as never, undefined);
}

describe('the end of a job opens an alert', () => {
  it('from a tenth of its items that failed', () => {
    expect(factOf({ done: 91, error: 9 })).toBeUndefined();
    expect(factOf({ done: 90, error: 10 })).toMatchObject({
      event: 'items_failed',
      message: '[ITEMS FAILED] job: 10 of 100',
    });
  });

  it('from half of its items that were not found', () => {
    expect(factOf({ done: 51, not_found: 49 })).toBeUndefined();
    expect(factOf({ done: 50, not_found: 50 })).toMatchObject({ event: 'items_not_found', subject: 'job' });
    expect(factOf({})).toBeUndefined();
  });

  it('by a rule that holds for every tenant', () => {
    const watched = itemsAlerts.rules?.map(({ on }) => ('event' in on ? on.event : on.metric));
    expect(watched).toEqual(['items_failed', 'items_not_found']);
  });
});
