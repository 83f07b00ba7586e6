// The receipt of a run: where every item that was read went. `read` equals the sum of `outcomes`; set-aside lines (preamble, title and
// total rows) is set aside before counting and never part of `read`.
import { z } from 'zod';
import { Count, Decimal } from './values.ts';

/** Control totals of one measure: the file's own sum and what landed in each outcome, which must add up to it. */
const ControlTotal = z.object({
  file: Decimal,
  outcomes: z.record(z.string(), Decimal),
  declared: Decimal.nullable().optional().describe('What the file’s own total row says, when it has one.'),
});

export const Receipt = z.looseObject({
  read: Count,
  outcomes: z
    .record(z.string(), Count)
    .optional()
    .describe('inserted, updated, unchanged, merged, superseded, stale, rejected and whatever else a pipeline counts.'),
  furniture: Count.optional(),
  content: z
    .record(z.string(), z.record(z.string(), Count))
    .optional()
    .describe(
      'What the file consists of, by unit: bytes; of a workbook also cells and parts. Each says how much there is in `all`, and what it is: header, ' +
        'row, structure, and set-aside lines by reason (blank, title, note, total, repeated_header, other_table). They add up to ' +
        '`all`, and `all` bytes are the size of the file. Absent for files read before this was counted.',
    ),
  doubts: z
    .record(z.string(), Count)
    .optional()
    .describe('By code: decisions about the file with evidence against them, which nobody has confirmed.'),
  in_doubt: z
    .array(
      z.object({
        code: z.string(),
        message: z.string(),
        rows_at_stake: Count.describe('Rows that are lost, gained or misread if the decision is wrong.'),
        lines: z.array(Count).describe('Lines of the file to look at.'),
      }),
    )
    .optional()
    .describe('The first 20 of these doubts in words. Absent for files read before they were kept.'),
  totals: z.record(z.string(), ControlTotal).optional().describe('By measure: spend, impressions, clicks.'),
  not_told: z
    .array(z.string())
    .optional()
    .describe('Of these measures no row of the file has a value: they are stored as unknown, not as zero.'),
});
export type Receipt = z.infer<typeof Receipt>;
