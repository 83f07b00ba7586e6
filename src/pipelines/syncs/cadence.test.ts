// When a connector is synced, by plan and by what happened before.
import { describe, expect, it } from 'vitest';
import { uuidv7 } from '../../platform/ids.ts';
import { checkInterval, comesAt, decideWindow, earliestManual, effectiveSeconds, nextSlot } from './cadence.ts';
import { freshnessOf } from './freshness.ts';

const HOUR = 3_600;
const now = new Date('2026-02-15T12:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
const code = (work: () => unknown) => {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe('the plan', () => {
  it.each([
    ['free', null, 24 * HOUR, undefined],
    ['free', 48 * HOUR, 24 * HOUR, 'cadence_fixed'],
    ['growth', null, 6 * HOUR, undefined],
    ['growth', HOUR, 6 * HOUR, 'cadence_too_short'],
    ['growth', 8 * HOUR, 8 * HOUR, undefined],
    ['enterprise', HOUR, HOUR, undefined],
    ['enterprise', HOUR - 1, HOUR, 'cadence_too_short'],
  ])('%s with an interval of %s s syncs every %i s', (plan, wanted, effective, refusal) => {
    expect(effectiveSeconds(plan, wanted)).toBe(effective);
    expect(code(() => checkInterval(plan, wanted))).toBe(refusal);
  });

  it('that nobody knows is named', () => {
    expect(code(() => effectiveSeconds('gold', null))).toBe('plan_unknown');
    expect(code(() => effectiveSeconds('constructor', null))).toBe('plan_unknown');
  });
});

describe('a window', () => {
  const connectorId = uuidv7();
  const ask = (lastSuccessStartedAt: Date | null, plan = 'growth') =>
    decideWindow({ connectorId, plan, wantedSeconds: null, lastSuccessStartedAt, now });

  it('lies at the same moment of every interval, and differs between connectors', () => {
    const slot = nextSlot(connectorId, HOUR, now);
    expect(nextSlot(connectorId, HOUR, new Date(slot.getTime() + 1)).getTime() - slot.getTime()).toBe(HOUR * 1_000);
    expect(nextSlot(connectorId, HOUR, slot)).toEqual(slot);
    const minutes = Array.from({ length: 600 }, () => nextSlot(uuidv7(), HOUR, now).getMinutes());
    const perMinute = Array.from({ length: 60 }, (_, minute) => minutes.filter((each) => each === minute).length);
    expect(Math.max(...perMinute)).toBeLessThan(35);
  });

  it('is used when there was no success yet or the last one is an interval old', () => {
    expect(ask(null).fire).toBe(true);
    expect(ask(ago(6 * HOUR)).fire).toBe(true);
  });

  it('is never early, not by a second', () => {
    expect(ask(ago(6 * HOUR - 1))).toEqual({ fire: false, nextAt: new Date(now.getTime() + 1_000) });
    expect(comesAt(now, ago(6 * HOUR - 1), 6 * HOUR)).toEqual(new Date(now.getTime() + 1_000));
  });

  it('is passed over after a manual sync, and used again an interval after it', () => {
    expect(ask(ago(2 * HOUR))).toEqual({ fire: false, nextAt: new Date(now.getTime() + 4 * HOUR * 1_000) });
  });

  it('that was missed many times is used once: the next one lies an interval ahead, or up to 5 % more', () => {
    for (let index = 0; index < 100; index += 1) {
      const { fire, nextAt } = decideWindow({
        connectorId: uuidv7(),
        plan: 'growth',
        wantedSeconds: null,
        lastSuccessStartedAt: ago(100 * HOUR),
        now,
      });
      const share = (nextAt.getTime() - now.getTime()) / (6 * HOUR * 1_000);
      expect([fire, share >= 1, share <= 1.05]).toEqual([true, true, true]);
    }
  });

  it.each([0.2, 0.45, 0.55, 0.8])(
    'that was used %f of an interval off its moment goes back to it by small steps',
    (off) => {
      const intervalMs = 6 * HOUR * 1_000;
      const slot = nextSlot(connectorId, 6 * HOUR, now).getTime();
      let at = slot + off * intervalMs;
      const gaps: number[] = [];
      for (let window = 0; window < 20; window += 1) {
        const lastSuccessStartedAt = new Date(at - intervalMs);
        const { nextAt } = decideWindow({
          ...{ connectorId, plan: 'growth', wantedSeconds: null },
          lastSuccessStartedAt,
          now: new Date(at),
        });
        gaps.push((nextAt.getTime() - at) / intervalMs);
        at = nextAt.getTime();
      }
      expect((at - slot) % intervalMs).toBe(0);
      expect([Math.min(...gaps) >= 1, Math.max(...gaps) <= 1.05]).toEqual([true, true]);
    },
  );

  it('of an hourly connector is kept by a worker that cron starts every five minutes', () => {
    const tickMs = 300_000;
    const starts: number[] = [];
    let dueMs = nextSlot(connectorId, HOUR, now).getTime();
    for (let tick = Math.ceil(dueMs / tickMs) * tickMs; starts.length < 100; tick += tickMs) {
      if (tick < dueMs) continue;
      const last = starts.at(-1);
      const { fire, nextAt } = decideWindow({
        ...{ connectorId, plan: 'enterprise', wantedSeconds: null },
        lastSuccessStartedAt: last === undefined ? null : new Date(last),
        now: new Date(tick),
      });
      // It starts two seconds after it is fired.
      if (fire) starts.push(tick + 2_000);
      dueMs = nextAt.getTime();
    }
    const gaps = starts.slice(1).map((start, index) => (start - (starts[index] ?? 0)) / 60_000);
    // It goes to its moment by later steps, each rounded up to the next of cron's.
    expect([Math.min(...gaps) >= 60, Math.max(...gaps) <= 70]).toEqual([true, true]);
  });

  it('follows a lowered plan at once', () => {
    expect(ask(ago(6 * HOUR), 'free').fire).toBe(false);
  });
});

it('the next sync is shown where it will be: a window too soon after a manual sync is passed over', () => {
  const due = new Date(now.getTime() + 15 * HOUR * 1_000);
  expect(comesAt(due, null, 24 * HOUR)).toEqual(due);
  expect(comesAt(due, ago(9 * HOUR), 24 * HOUR)).toEqual(due);
  expect(comesAt(due, ago(HOUR), 24 * HOUR)).toEqual(new Date(now.getTime() + 23 * HOUR * 1_000));
  const next = decideWindow({
    ...{ connectorId: uuidv7(), plan: 'free', wantedSeconds: null },
    lastSuccessStartedAt: ago(HOUR),
    now: due,
  });
  expect(next).toEqual({ fire: false, nextAt: comesAt(due, ago(HOUR), 24 * HOUR) });
});

it('a person may sync when the plan’s minimum is over, not before', () => {
  expect(earliestManual('growth', null, now)).toBeNull();
  expect(earliestManual('growth', ago(6 * HOUR), now)).toBeNull();
  expect(earliestManual('growth', ago(5 * HOUR), now)).toEqual(new Date(now.getTime() + HOUR * 1_000));
});

describe('freshness', () => {
  const connector = {
    enabled: true,
    disabled_at: null,
    consecutive_failures: 0,
    last_error_kind: null,
    last_success_started_at: ago(HOUR),
    interval_seconds: null,
    plan: 'growth',
    created_at: ago(100 * HOUR),
    now,
  };
  it.each([
    ['on time', {}, null],
    ['on track', {}, 'running'],
    ['on track', { last_success_started_at: null, created_at: ago(HOUR) }, null],
    ['on time', { last_success_started_at: ago(7 * HOUR) }, null],
    ['late', { last_success_started_at: ago(8 * HOUR) }, null],
    ['late', { last_success_started_at: null }, null],
    ['failing', {}, 'failed'],
    ['failing', { consecutive_failures: 1, last_error_kind: 'transient' }, null],
    ['action required', { consecutive_failures: 1, last_error_kind: 'auth' }, null],
    ['action required', { enabled: false, disabled_at: now }, null],
    [null, { enabled: false }, null],
  ])('is %s', (word, facts, live) => {
    expect(freshnessOf({ ...connector, ...facts }, live)).toBe(word);
  });
});
