import { expect, it } from 'vitest';
import { keepLines } from '../../../../test/support/log-lines.ts';
import { uuidv7 } from '../../../platform/ids.ts';
import { logSlice } from './slice-log.ts';

it('a slice is in the log with its outcomes, and its retries with their reason and when; no field is left out', () => {
  const { log, lines } = keepLines('debug');
  const [runId, job] = [uuidv7(), uuidv7()];
  const outcomes = { FOUND: 3, NOT_FOUND: 1, RETRY: 2 };
  logSlice({ runId, log }, job, { items: 6, ms: 12.4, outcomes, retries: {} });
  const retries = {
    item_rate_limited: { items: 2, afterMs: 1_999.6 },
    item_not_matched: { items: 1, afterMs: 3_600_000 },
  };
  logSlice({ runId, log }, job, { items: 6, ms: 12.4, outcomes, retries });
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatchObject({ run: runId, job, items: 6, ms: 12, outcomes: { found: 3, not_found: 1, retry: 2 } });
  expect(lines[2]).toMatchObject({
    run: runId,
    job,
    retried_items: { item_rate_limited: 2, item_not_matched: 1 },
    retry_after_ms: { item_rate_limited: 2_000, item_not_matched: 3_600_000 },
  });
  for (const line of lines) expect(line).not.toHaveProperty('omitted');
});
