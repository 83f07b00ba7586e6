// The section `items` of GET /api/metrics: the names of the items specification.
import { z } from 'zod';
import { Count } from '../../api/values.ts';

export const ItemMetrics = z.object({
  queue_depth: Count.describe('Items that are PENDING.'),
  pending_count: Count.describe('Items that are PENDING or PROCESSING.'),
  jobs_open: Count.describe('Jobs with such items.'),
  error_rate: z.number().nullable().describe('Share of the items of jobs of the last day that are ERROR.'),
  not_found_rate: z.number().nullable().describe('Share of the items of jobs of the last day that are NOT_FOUND.'),
});
