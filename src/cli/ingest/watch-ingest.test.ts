// Watching with answers as the server gives them while a run is under way: what is told must hold at the end, too.
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Client } from '../../contract/api/client.ts';
import type { RunDetail } from '../runs/print-run.ts';
import { watchIngest } from './watch-ingest.ts';

const stages = (parse: string, promote: string) => [
  { stage: 'parse', state: parse },
  { stage: 'promote', state: promote },
];
const base = {
  run_id: 'r',
  pipeline: 'ads',
  status: 'promoting',
  stage: 'promote',
  wait: null,
  error: null,
  question: null,
};
/** Twelve rows were read: one refused while reading, one folded into another, one refused by the database. */
const promoting = {
  ...base,
  phase: 'active',
  stages: stages('done', 'active'),
  progress: { done: 4, total: 11, unit: 'rows', per_second: null, eta_at: null },
  receipt: null,
  finished_at: null,
};
const done = {
  ...base,
  phase: 'done',
  stages: stages('done', 'done'),
  progress: null,
  receipt: { read: 12, outcomes: { inserted: 9, merged: 1, rejected: 2 } },
  finished_at: '2026-01-01T00:00:00.000Z',
};

function answering(looks: readonly unknown[]): Client {
  let look = 0;
  const answers: Record<string, () => unknown> = {
    'runs.show': () => looks[Math.min(look++, looks.length - 1)],
    'rejects.clusters': () => ({ data: [{ count: 1 }, { count: 1 }] }),
    'uploads.reading': () => ({
      encoding: { value: 'utf-8' },
      delimiter: { value: ',' },
      format: { value: 'csv' },
      furniture: [],
    }),
  };
  return (async (operation: string) => answers[operation]?.()) as unknown as Client;
}

describe('watching an upload', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('counts each row once: what it says of the intake is what the receipt says', async () => {
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    const run: RunDetail = await watchIngest(answering([promoting, promoting, done]), 'r', {
      isQuiet: false,
      gate: undefined,
    });
    expect(run.receipt?.read).toBe(12);
    const told = lines.join('');
    expect(told).toContain('✔ intake   12 rows · utf-8 · comma');
    expect(told).toContain('✔ validate 10 valid · 2 rejected in 2 groups');
    expect(told.match(/\d+ rows/g)).toEqual(['12 rows']);
  });

  it('says what is in doubt about the file in words, with the lines to look at', async () => {
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    const doubt = {
      code: 'header_does_not_fit',
      message: 'Line 1202 names columns again.',
      rows_at_stake: 2,
      lines: [1202],
    };
    const receipt = { ...done.receipt, doubts: { header_does_not_fit: 1 }, in_doubt: [doubt] };
    await watchIngest(answering([{ ...done, receipt }]), 'r', { isQuiet: false, gate: undefined });
    expect(lines.join('')).toContain(
      '1 header does not fit: look at how the file was read\n  Line 1202 names columns again. (line 1202)',
    );
  });
});
