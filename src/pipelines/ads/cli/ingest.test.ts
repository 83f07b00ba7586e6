import { expect, it } from 'vitest';
import { adsIngest } from './ingest.ts';

it('a closed gate says what to do, an opened one that it was asked to', () => {
  const run = (phase: 'done' | 'failed', outcomes: Record<string, number>, input = {}) =>
    adsIngest.gate?.describe({ run_id: 'r1', phase, receipt: { read: 10, outcomes }, input });
  expect(run('failed', { held_back: 8, rejected: 2 })).toBe(
    'closed: 8 valid rows held back. Fix the file and upload it again, or store what is valid: millrace runs retry r1 --force-partial',
  );
  expect(run('done', { inserted: 8, rejected: 2 })).toBe(
    'opened as asked (--force-partial): 8 valid rows stored, the rest is rejected',
  );
  expect(run('done', { inserted: 8, rejected: 2 }, { corrects: 'r0', force_partial: true })).toBe(
    'not asked for fixed rows: 8 valid rows stored, the rest is rejected',
  );
  expect(run('done', { inserted: 9, rejected: 1 })).toBeUndefined();
});
