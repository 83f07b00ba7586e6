import { describe, expect, it } from 'vitest';
import { checklist } from './checklist-state.ts';

const run = { phase: 'done', retry_of: null, source: 'upload' } as const;
const ticked = (steps: ReturnType<typeof checklist>) => steps.filter((step) => step.done).map((step) => step.key);

describe('the checklist', () => {
  it('ticks nothing before anything has happened', () => {
    expect(ticked(checklist({ runs: [], rejects: undefined, users: 1, keys: 0, more: [], sinks: 0 }))).toEqual([]);
  });

  it('ticks each step from a fact of the ledger', () => {
    expect(
      ticked(
        checklist({
          runs: [run, { ...run, source: 'replay' }],
          rejects: undefined,
          users: 2,
          keys: 1,
          more: [{ key: 'connect', label: 'Connect', done: true }],
          sinks: 1,
        }),
      ),
    ).toEqual(['drop', 'done', 'fix', 'replay', 'invite', 'key', 'connect', 'alert']);
  });

  it('knows a fixed row before it is replayed', () => {
    const facts = { runs: [run], users: undefined, keys: undefined, more: undefined, sinks: undefined };
    expect(ticked(checklist({ ...facts, rejects: { open: 2, total: 3 } }))).toContain('fix');
    expect(ticked(checklist({ ...facts, rejects: { open: 3, total: 3 } }))).not.toContain('fix');
  });

  it('leaves out the steps that are for admins when the person is none', () => {
    expect(
      checklist({
        runs: [],
        rejects: undefined,
        users: undefined,
        keys: undefined,
        more: undefined,
        sinks: undefined,
      }).map((step) => step.key),
    ).not.toContain('invite');
  });
});
