// A run in words, as lists and the page of a run print it. Not to a terminal, so without colour.
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { describeStatus, formatRun, type RunDetail } from './print-run.ts';

const done = { status: 'completed', phase: 'done' } as const;

it.each([
  ['nothing was refused', { total: 0, open: 0 }, '✔ completed'],
  ['every refused row is open', { total: 1_200, open: 1_200 }, '◑ completed, 1,200 refused'],
  ['the list did not count so many', { total: 1_200, open: null }, '◑ completed, 1,200 refused'],
  ['a replay took some of them', { total: 9, open: 3 }, '◑ completed, 3 of 9 refused rows open'],
  ['a replay took all of them', { total: 9, open: 0 }, '✔ completed, 9 refused, none of them open'],
])('the status of a run says what is still open: %s', (_, rejects, words) => {
  expect(describeStatus({ ...done, rejects })).toBe(words);
});

it('a run that has not ended well says its status alone', () => {
  expect(describeStatus({ status: 'failed', phase: 'failed', rejects: { total: 9, open: 9 } })).toBe('✖ failed');
});

const run = {
  run_id: '01a1e155-0000-7000-8000-000000000001',
  pipeline: 'ads',
  status: 'completed',
  phase: 'done',
  title: 'june.csv',
  created_at: '2026-06-01T00:00:00.000Z',
  started_at: null,
  receipt: { read: 10, outcomes: { inserted: 1, rejected: 9 } },
  rejects: { total: 9, open: 0 },
  question: null,
  attempts: [],
  replays: [],
} as unknown as RunDetail;
const shown = (more: Partial<RunDetail>) => stripVTControlCharacters(formatRun({ ...run, ...more }));
const replay = { run_id: '01a1e155-0000-7000-8000-000000000002', status: 'completed', phase: 'done' as const, rows: 9 };

it('a run whose refused rows were taken again says by which run and what became of them', () => {
  expect(shown({ replays: [{ ...replay, refused: 0 }] })).toMatch(
    /rejects +0 open of 9[\s\S]+replayed as +01a1e155-0000-7000-8000-000000000002: 9 refused rows taken again, ✔ completed/,
  );
  expect(shown({ replays: [{ ...replay, refused: 2 }] })).toContain(
    '9 refused rows taken again, 2 of them refused again',
  );
  expect(shown({})).not.toContain('replayed as');
});
