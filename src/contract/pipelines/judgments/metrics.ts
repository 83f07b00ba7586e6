// The section `ingest` of GET /api/metrics: the names of the judgments specification.
import { z } from 'zod';
import { Count, Time } from '../../api/values.ts';

export const IngestMetrics = z.object({
  backlog_count: Count,
  last_failed_batch: z.string().nullable(),
  last_failed_at: Time.nullable(),
  failed_24h: Count,
  stale_runs: Count,
  avg_processing_s: z.number().nullable(),
  dead_letters: Count,
});
