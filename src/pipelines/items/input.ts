// What a run of a job is asked to do: plain JSON in the ledger. What belongs to the job itself is in item_jobs.
import { z } from 'zod';
import { onDoubtChoices } from '../../tabular/doubt-question.ts';

export const ItemsInput = z.object({
  /** The id of the job's first run. */
  job_id: z.uuid(),
  filename: z.string(),
  job_type: z.enum(['csv', 'image']),
  processor: z.string(),
  /** What to do when Millrace is not sure how to read the file; left out: the run asks. */
  on_doubt: z.enum(onDoubtChoices).optional(),
  /** Rows that are the same as an earlier one; left out: skip. */
  duplicates: z.enum(['skip', 'process']).optional(),
  /** Starts again with rows that are there. */
  reprocess: z.boolean().optional(),
});
export type ItemsInput = z.infer<typeof ItemsInput>;
