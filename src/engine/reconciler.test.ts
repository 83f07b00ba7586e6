import { describe, expect, it } from 'vitest';
import { Reconciler } from './reconciler.ts';
import type { HeldLease } from './sql/workers.ts';

const lease = (run: string, attempt = 1): HeldLease => ({
  run_id: run,
  part: '',
  attempt,
  cancel_requested_by: null,
});
const holding = (run: string, attempt = 1) => ({ runId: run, part: '', attempt });
const quiet = { before: [], after: [], oldestClaimAt: undefined };

describe('a lease that nobody works on', () => {
  it('counts when two looks have seen it', () => {
    const reconciler = new Reconciler();
    const leases = [lease('a')];
    expect(reconciler.compare({ ...quiet, leases, lookedAt: 1 }).orphans).toEqual([]);
    expect(reconciler.compare({ ...quiet, leases, lookedAt: 2 }).orphans).toEqual(leases);
  });

  it('may belong to a claim that is still under way', () => {
    const reconciler = new Reconciler();
    const leases = [lease('a')];
    reconciler.compare({ ...quiet, leases, lookedAt: 5, oldestClaimAt: 4 });
    expect(reconciler.compare({ ...quiet, leases, lookedAt: 6, oldestClaimAt: 4 }).orphans).toEqual([]);
    // That claim is over; the one under way now began later.
    expect(reconciler.compare({ ...quiet, leases, lookedAt: 8, oldestClaimAt: 7 }).orphans).toEqual(leases);
  });

  it('is another one when its attempt is another one', () => {
    const reconciler = new Reconciler();
    reconciler.compare({ ...quiet, leases: [lease('a', 1)], lookedAt: 1 });
    expect(reconciler.compare({ ...quiet, leases: [lease('a', 2)], lookedAt: 2 }).orphans).toEqual([]);
  });

  it('is none when its end was written while the answer was on its way', () => {
    const reconciler = new Reconciler();
    const look = { leases: [lease('a')], before: [holding('a')], after: [], oldestClaimAt: undefined };
    reconciler.compare({ ...look, lookedAt: 1 });
    expect(reconciler.compare({ ...look, lookedAt: 2 }).orphans).toEqual([]);
  });
});

describe('what the process holds without a lease', () => {
  it('is lost when two looks have missed it and it is still held', () => {
    const reconciler = new Reconciler();
    const look = { leases: [], before: [holding('a')], after: [holding('a')], oldestClaimAt: undefined };
    expect(reconciler.compare({ ...look, lookedAt: 1 }).lost).toEqual([]);
    expect(reconciler.compare({ ...look, lookedAt: 2 }).lost).toEqual([holding('a')]);
  });

  it('is not lost when it was claimed or ended while the answer was on its way', () => {
    const reconciler = new Reconciler();
    for (const lookedAt of [1, 2]) {
      const look = { leases: [], lookedAt, oldestClaimAt: undefined };
      expect(reconciler.compare({ ...look, before: [], after: [holding('new')] }).lost).toEqual([]);
      expect(reconciler.compare({ ...look, before: [holding('old')], after: [] }).lost).toEqual([]);
    }
  });
});

it('the wish to cancel is passed on although nobody heard it called out', () => {
  const leases = [{ ...lease('a'), cancel_requested_by: 'somebody' }];
  const look = { leases, before: [holding('a')], after: [holding('a')], lookedAt: 1, oldestClaimAt: undefined };
  expect(new Reconciler().compare(look).cancelled).toEqual([{ holding: holding('a'), by: 'somebody' }]);
});
