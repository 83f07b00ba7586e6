// What a judgments run is asked to do: the batch as accepted, plain JSON in the ledger.
import { z } from 'zod';
import { onDoubtChoices } from '../../tabular/doubt-question.ts';
import { columnPolicies, policyColumns } from './column-policy.ts';

export const JudgmentsInput = z.object({
  /** As given by the sender, without the revision that a retry or a correction adds to the run's unique key. */
  source_batch_id: z.string(),
  vendor: z.string().nullish(),
  filename: z.string().nullish(),
  /** SHA-256 of the file in hex. */
  file_hash: z.string(),
  policies: z.partialRecord(z.enum(policyColumns), z.enum(columnPolicies)).optional(),
  /** A cell with exactly this text empties the stored value. */
  null_token: z
    .string()
    .regex(/^[\x21-\x7e]{1,20}$/)
    .optional(),
  /** What to do when Millrace is not sure how to read the file; left out: the run asks. */
  on_doubt: z.enum(onDoubtChoices).optional(),
  /** How the file is to be read where the user knows better. */
  reading: z.record(z.string(), z.unknown()).optional(),
  mapping_version: z.int().min(1).optional(),
  /** The run whose downloaded rejects this file brings back, corrected. */
  corrects: z.uuid().optional(),
  /** Of a replay of corrected rows: the run whose file they are from. */
  replay_of: z.uuid().optional(),
  /** The run that refused them: the same, or a replay of it. */
  rejects_of: z.uuid().optional(),
  /** The run whose content this one replaces. */
  supersedes: z.uuid().optional(),
  same_bytes_as: z.uuid().optional(),
});
export type JudgmentsInput = z.infer<typeof JudgmentsInput>;
