import { expect, it } from 'vitest';
import { exitCodeOfRun } from './tail-run.ts';

type Ended = Parameters<typeof exitCodeOfRun>[0];
const stored: Ended = {
  phase: 'done',
  status: 'completed',
  question: null,
  receipt: { read: 2, outcomes: { inserted: 2 } },
};
const question = { question_id: 'q', code: 'reading_doubtful', text: 'Which?' } as unknown as Ended['question'];

it.each<[string, number, Ended]>([
  ['0 where every row is stored', 0, stored],
  ['2 where rows were refused', 2, { ...stored, receipt: { read: 2, outcomes: { inserted: 1, rejected: 1 } } }],
  [
    '2 where something is in doubt',
    2,
    { ...stored, receipt: { read: 2, outcomes: { inserted: 2 }, doubts: { other_table: 1 } } },
  ],
  ['2 where the run asks', 2, { ...stored, phase: 'waiting', status: 'pending', receipt: null, question }],
  ['1 where it failed', 1, { ...stored, phase: 'failed', status: 'failed' }],
])('a run ends the command with %s', (_, code, run) => {
  expect(exitCodeOfRun(run)).toBe(code);
});
