// The section `syncs` of GET /api/metrics.
import { z } from 'zod';
import { Count } from '../../api/values.ts';

/** The figures the sync specification names, over the last day. */
export const SyncMetrics = z.object({
  jobs_queued_per_minute: Count,
  success_rate_by_connector: z.record(z.string(), z.number()).describe('Share of ended syncs that succeeded.'),
  avg_duration_s: z.number().nullable().describe('The time of the attempts, without the waits between them.'),
  dlq_size: Count,
  retry_rate: z.number().nullable().describe('Share of executions that ended in a retry.'),
  retries_by_error: z.record(z.string(), Count),
});
