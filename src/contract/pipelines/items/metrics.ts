// The section `items` of GET /api/metrics: the names of the items specification.
import { z } from 'zod';
import { Count } from '../../api/values.ts';

const ofProcess = 'Of the process that answers; null where it works on no items.';

export const ItemMetrics = z.object({
  queue_depth: Count.describe('Items that are PENDING.'),
  pending_count: Count.describe('Items that are PENDING or PROCESSING.'),
  jobs_open: Count.describe('Jobs with such items.'),
  error_rate: z.number().nullable().describe('Share of the items of jobs of the last day that are ERROR.'),
  not_found_rate: z.number().nullable().describe('Share of the items of jobs of the last day that are NOT_FOUND.'),
  ingest_ms: z
    .number()
    .nullable()
    .describe('Mean time from submission until every row was stored, of jobs of the last day.'),
  items_sec: z.number().nullable().describe(`Items per second of the last slice. ${ofProcess}`),
  db_latency_ewma: z
    .number()
    .nullable()
    .describe(`Moving average of inserts and commits of items, in ms. ${ofProcess}`),
  pool_wait_ms: z.number().nullable().describe(`How long the last of them waited for a connection. ${ofProcess}`),
  api_throttle_rate: z
    .record(z.string(), z.number())
    .describe("By provider: share of this tenant's requests that it refused for now, as the answering process saw it."),
});
