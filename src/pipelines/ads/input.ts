// What an ads run is asked to do: the upload request as accepted, plain JSON in the ledger.
import { z } from 'zod';
import { UploadChoices } from '../../contract/api/reading.ts';
import { onDoubtChoices } from '../../tabular/doubt-question.ts';
import { platforms } from './fields.ts';

export const AdsInput = z.object({
  platform: z.enum(platforms),
  source: z.enum(['manual', 'api', 'webhook']),
  /** A customer label inside the workspace; part of every key. */
  client_id: z.uuid().nullish(),
  filename: z.string().nullish(),
  /** Promote the valid rows even when fewer than 90 % are valid. */
  force_partial: z.boolean().optional(),
  /** When the numbers were reported; set at intake, so that a retry does not look newer than it is. */
  reported_at: z.iso.datetime({ offset: true }),
  /** Whether the sender gave it. Otherwise it is the time of receipt, which says nothing about the numbers' age. */
  reported_at_given: z.boolean().optional(),
  /** What to do when Millrace is not sure how to read the file; left out: the run asks. */
  on_doubt: z.enum(onDoubtChoices).optional(),
  /** How the file is to be read where the user knows better. */
  reading: z.record(z.string(), z.unknown()).optional(),
  /** The saved mapping to use, by its fingerprint; else the latest for the file's own header. */
  mapping_fingerprint: z.string().optional(),
  /** The run whose downloaded rejects this file brings back, corrected. */
  corrects: z.uuid().optional(),
  /** Of a replay: the run whose file the rows are from. */
  replay_of: z.uuid().optional(),
  /** The run that refused them: the same, or a replay of it. */
  rejects_of: z.uuid().optional(),
  same_bytes_as: z.uuid().optional(),
  /** The run that read the same stored file before, otherwise. Its numbers are taken over or taken back. */
  reread_of: z.uuid().optional(),
  /** The run that this one undoes. It has no file. */
  undo_of: z.uuid().optional(),
  /** Said for this file alone. */
  choices: UploadChoices.optional(),
});
export type AdsInput = z.infer<typeof AdsInput>;
