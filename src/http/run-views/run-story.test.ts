// What a person is told about a run: its stages, what may be done, what happens next, how far it is.
import { describe, expect, it } from 'vitest';
import { buildRunRow } from '../../../test/support/run-row.ts';
import type { Principal } from '../../access/principal.ts';
import { machine } from '../../contract/states/machine.ts';
import type { AttemptRow } from '../../engine/reads/read-attempts.ts';
import { defaultRetryPolicy } from '../../engine/retry-policy.ts';
import { legalActions } from '../run-actions/legal-actions.ts';
import { titleOf, viewError, viewRun } from './run-view.ts';
import { stageReports } from './stage-reports.ts';
import { whatNext } from './what-next.ts';

const sheet = machine('sheet', {
  pending: { phase: 'waiting', stage: 'parse', on: { claim: 'parsing', fail: 'failed' } },
  parsing: { phase: 'active', stage: 'parse', on: { pass: 'parsed', fail: 'failed', release: 'pending' } },
  parsed: { phase: 'waiting', stage: 'promote', on: { claim: 'promoting', fail: 'failed' } },
  promoting: { phase: 'active', stage: 'promote', on: { complete: 'completed', fail: 'failed', release: 'parsed' } },
  completed: { phase: 'done' },
  failed: { phase: 'failed' },
});
const tries = { machine: sheet, retry: defaultRetryPolicy, lostLimit: 5 };
const second = (n: number) => new Date(Date.UTC(2026, 1, 15, 12, 0, n));
const attempt = (given: Partial<AttemptRow> & { attempt: number; stage: string }): AttemptRow => ({
  worker_id: 'w',
  outcome: 'pass',
  queued_at: second(0),
  started_at: second(2),
  ended_at: second(5),
  error_kind: null,
  error_code: null,
  error_text: null,
  ...given,
});
const states = (...args: Parameters<typeof stageReports>) =>
  stageReports(...args).map(({ stage, state }) => [stage, state]);

describe('stages', () => {
  it('come in the machine’s order, with queue wait and work summed over attempts', () => {
    const run = buildRunRow({ phase: 'active', status: 'promoting', stage: 'promote' });
    const reports = stageReports(tries, run, [
      attempt({ attempt: 1, stage: 'parse', outcome: 'lost' }),
      attempt({ attempt: 2, stage: 'parse', queued_at: second(6), started_at: second(7), ended_at: second(9) }),
      attempt({
        attempt: 3,
        stage: 'promote',
        outcome: null,
        queued_at: second(9),
        started_at: second(10),
        ended_at: null,
      }),
    ]);
    expect(reports).toMatchObject([
      { stage: 'parse', state: 'done', attempts: 2, queue_wait_ms: 3_000, work_ms: 5_000 },
      { stage: 'promote', state: 'active', attempts: 1, queue_wait_ms: 1_000, work_ms: 0, finished_at: null },
    ]);
  });

  it('wait, fail or have not begun, as the run does', () => {
    expect(states(tries, buildRunRow({ stage: 'parse' }), [])).toEqual([
      ['parse', 'waiting'],
      ['promote', 'not_started'],
    ]);
    const retried = [attempt({ attempt: 1, stage: 'parse', outcome: 'retried', error_code: 'database_lost' })];
    expect(states(tries, buildRunRow({ stage: 'parse' }), retried)[0]).toEqual(['parse', 'waiting']);
    const failed = buildRunRow({ phase: 'failed', status: 'failed', stage: null });
    const ended = [
      attempt({ attempt: 1, stage: 'parse' }),
      attempt({ attempt: 2, stage: 'promote', outcome: 'failed', error_code: 'x' }),
    ];
    expect(states(tries, failed, ended)).toEqual([
      ['parse', 'done'],
      ['promote', 'failed'],
    ]);
  });

  it('say how many attempts they may have in all, by the kind of failure they had last', () => {
    const allowed = (phase: 'waiting' | 'active', ...outcomes: (readonly [string | null, string?])[]) =>
      stageReports(
        tries,
        buildRunRow({ phase, stage: 'parse' }),
        outcomes.map(([outcome, code], index) =>
          attempt({ attempt: index + 1, stage: 'parse', outcome, error_code: code ?? null }),
        ),
      ).map(({ attempts, attempts_allowed: of }) => [attempts, of]);
    const busy = ['retried', 'database_lost'] as const;
    // Three retries of a passing trouble, so four attempts.
    expect(allowed('active', [null])).toEqual([
      [1, 4],
      [0, null],
    ]);
    expect(allowed('waiting', busy)[0]).toEqual([1, 4]);
    expect(allowed('active', busy, [null])[0]).toEqual([2, 4]);
    // What was given back is charged to nobody; the fifth loss ends the run.
    expect(allowed('active', ['released'], [null])[0]).toEqual([2, 5]);
    expect(allowed('active', ['lost'], [null])[0]).toEqual([2, 5]);
    // A rate limit may be met as often as it takes.
    expect(allowed('waiting', ['retried', 'rate_limited'])[0]).toEqual([1, null]);
  });

  it('of a pipeline this process does not know are those that were tried', () => {
    expect(states(undefined, buildRunRow({ phase: 'done' }), [attempt({ attempt: 1, stage: 'old' })])).toEqual([
      ['old', 'done'],
    ]);
  });
});

describe('actions', () => {
  const as = (role: Principal['role'], scopes: Principal['scopes'] = null): Principal => ({
    kind: scopes === null ? 'user' : 'key',
    tenantId: 't',
    actorId: 'a',
    actor: 'a',
    role,
    scopes,
    mustChangePassword: false,
    expiresAt: null,
  });
  const nothing = { canVerify: false, corrected: 0 };
  it.each([
    ['waiting', {}, 'hold cancel'],
    ['waiting', { held_at: second(0), held_by: 'x' }, 'resume cancel'],
    ['active', {}, 'cancel'],
    ['failed', {}, 'retry'],
    ['failed', { error_code: 'below_threshold' }, 'retry promote_valid'],
    ['failed', { retried_as: 'y' }, ''],
    ['done', {}, ''],
    ['dead', {}, ''],
  ] as const)('%s %j: a user may %s', (phase, given, expected) => {
    expect(legalActions(buildRunRow({ phase, ...given }), as('user'), nothing).join(' ')).toBe(expected);
  });

  it('an admin and support requeue dead letters once; a key does what its scopes say', () => {
    for (const role of ['admin', 'support'] as const)
      expect(legalActions(buildRunRow({ phase: 'dead' }), as(role), nothing)).toEqual(['requeue']);
    expect(legalActions(buildRunRow({ phase: 'dead', requeued_as: 'y' }), as('support'), nothing)).toEqual([]);
    const done = buildRunRow({ phase: 'done', receipt: { read: 0 } });
    const facts = { canVerify: true, corrected: 3 };
    expect(legalActions(done, as('service', ['runs:read']), facts)).toEqual(['verify']);
    expect(legalActions(done, as('admin'), facts)).toEqual(['replay', 'verify']);
    const failed = buildRunRow({ phase: 'failed' });
    expect(legalActions(failed, as('admin'), { ...facts, corrected: 0 })).toEqual(['retry']);
  });
});

describe('what happens next', () => {
  it('is said for every phase', () => {
    const say = (given: Parameters<typeof buildRunRow>[0], why: Parameters<typeof whatNext>[1] = null, number = 1) =>
      whatNext(buildRunRow(given), why, sheet, number);
    expect(say({ stage: 'parse' }, { reason: 'next', text: '' })).toBe(
      'Stage "parse" starts as soon as a worker takes it.',
    );
    expect(say({ stage: 'parse' }, { reason: 'retry', text: '', until: second(9) })).toContain(
      'at 2026-02-15T12:00:09.000Z',
    );
    expect(say({}, { reason: 'no_worker', text: '' })).toContain('nothing is lost');
    // The third claim of the run is the second attempt of this stage: that is what the stage chart shows.
    expect(say({ phase: 'active', stage: 'parse', attempt: 3 }, null, 2)).toBe(
      'Stage "parse" is running, attempt 2; then "promote".',
    );
    expect(say({ phase: 'active', stage: 'promote', attempt: 3 })).toContain('then the run is done');
    expect(say({ phase: 'failed', error_code: 'worker_lost' })).toContain('retry it');
    expect(say({ phase: 'failed', retried_as: 'r2' })).toBe('It was retried as r2.');
    expect(say({ phase: 'dead' })).toContain('an admin or support');
    expect(say({ phase: 'done' })).toBeNull();
  });
});

describe('a run in short', () => {
  it('is named by its file, else by its input, else by its key', () => {
    expect(titleOf(buildRunRow({ original_name: 'a.csv', input: { title: 'b' } }))).toBe('a.csv');
    expect(titleOf(buildRunRow({ input: { filename: 'c.csv' } }))).toBe('c.csv');
    expect(titleOf(buildRunRow({ unique_key: 'june' }))).toBe('june');
    expect(titleOf(buildRunRow())).toBeNull();
  });

  it('estimates its end from what it has done since it was claimed', () => {
    const run = buildRunRow({
      phase: 'active',
      progress_done: 100,
      progress_total: 300,
      claimed_at: second(0),
      progress_at: second(10),
    });
    expect(viewRun(run).progress).toMatchObject({ per_second: 10, eta_at: second(30).toISOString(), unit: 'items' });
    expect(viewRun(buildRunRow()).progress).toBeNull();
  });

  it('brings the advice of a catalogued code only when that needs nothing we no longer know', () => {
    expect(viewError('run_cancelled', 'Run x was cancelled by y.')).toMatchObject({ next: 'Retry it to start again.' });
    expect(viewError('pipeline_unknown', 'x')?.next).toBeNull();
    expect(viewError('their_own_code', null)).toEqual({
      code: 'their_own_code',
      message: 'their_own_code',
      next: null,
    });
  });
});
