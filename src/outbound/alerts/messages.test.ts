// The sentences, word for word as the specification has them, and what may never be in one.
import { describe, expect, it } from 'vitest';
import { alertedKits } from '../../../test/support/kit-parts.ts';
import { backlog, deadLetterDepth, ingestFailure, staleTakeover } from '../../pipelines/judgments/alerts.ts';
import * as messages from './messages.ts';
import { labelOf } from './pipeline-alerts.ts';

const figure = (pipeline: string, value: number) => ({
  who: labelOf(alertedKits, pipeline),
  value,
  threshold: 5,
  windowMinutes: 1_440,
});

describe('messages of the specification', () => {
  it('a failed job, a takeover, the dead-letter queue and the backlog are said in its words', () => {
    expect(messages.runFailed('simplicity-2026-01-07.csv', 'nothing_imported')).toBe(
      '[INGEST FAILURE] simplicity-2026-01-07.csv: nothing_imported',
    );
    expect(messages.runTakenOver('batch-7', 1.234)).toBe('[STALE TAKEOVER] batch-7 abandoned for 1.23h');
    expect(messages.overThreshold('dead_letters', figure('judgments', 6))).toBe(
      'Ingest dead-letter queue has 6 messages',
    );
    expect(messages.overThreshold('backlog', figure('judgments', 101))).toBe(
      'Ingest backlog at 101 pending or processing jobs',
    );
  });

  it('the judgments reporter says the same in the outbox', () => {
    expect(messages.runFailed('b', 'x')).toBe(ingestFailure('b', 'x').message);
    expect(messages.runTakenOver('b', 2)).toBe(staleTakeover('b', 2, 1).message);
    expect(messages.overThreshold('dead_letters', figure('judgments', 6))).toBe(deadLetterDepth(6).message);
    expect(messages.overThreshold('backlog', figure('judgments', 101))).toBe(backlog(101).message);
  });

  it('another pipeline stands where "Ingest" does', () => {
    expect(messages.overThreshold('backlog', figure('ads', 120))).toBe('Ads backlog at 120 pending or processing jobs');
    expect(messages.overThreshold('failed_runs', figure('syncs', 3))).toBe('Syncs had 3 failed jobs in the last 24h');
  });
});

describe('what comes from people', () => {
  it('loses addresses, secrets, mark-up and line breaks', () => {
    expect(messages.safeLabel('ada@example.test')).toBe('[EMAIL_REDACTED]');
    expect(messages.safeLabel('postgres://u:hunter2@db/prod')).not.toContain('hunter2');
    expect(messages.safeLabel('a\nb<!channel>`c`[d](https://evil.test)')).toBe('ab!channelc(d)(https://evil.test)');
    expect(messages.safeLabel('x'.repeat(5_000))).toHaveLength(200);
  });

  it('an error that is a sentence instead of a code is not repeated', () => {
    expect(messages.safeCode('duplicate key for Ada Lovelace')).toBe('internal');
    expect(messages.safeCode('worker_lost')).toBe('worker_lost');
  });
});
