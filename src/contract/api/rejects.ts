// Rejects: refused rows with code, line, column and value. Corrections are a layer on top; the original is never altered.
import { z } from 'zod';
import { allow, type Role } from './roles.ts';
import { defineRoutes, file, json } from './route.ts';
import { RunLink } from './runs.ts';
import { Count, Id, list, Page, Several, Time } from './values.ts';

const RejectStatus = z.enum(['open', 'corrected', 'replayed', 'resolved']);

/** Cells by header, as read from the file. */
const Cells = z.record(z.string(), z.string().nullable());

const Fault = z.object({
  column: z.string().nullable(),
  code: z.string(),
  message: z.string(),
  value: z.string().nullable(),
});

export const Reject = Fault.extend({
  id: z.string(),
  line: Count.nullable(),
  byte_offset: z.number().nullable(),
  cluster: z.string(),
  raw: Cells,
  faults: z.array(Fault).describe('Everything that is wrong with the row; the first is repeated above.'),
  correction: z.object({ cells: Cells, by: z.string().nullable(), at: Time, faults: z.array(Fault) }).optional(),
  status: RejectStatus,
  replayed_by: Id.nullable(),
});

/** A fix that can be applied to every row of a cluster. */
const Fix = z.object({
  kind: z
    .string()
    .describe(
      'date_order, number_style, trim, replace … to be applied to the rows; reread: read the file again, with params as the body.',
    ),
  label: z.string().describe('In words: "looks like DD/MM/YYYY".'),
  column: z.string(),
  params: z.record(z.string(), z.unknown()),
});

export const RejectCluster = z.object({
  cluster: z.string(),
  code: z.string(),
  column: z.string().nullable(),
  message: z.string(),
  count: Count,
  open: Count,
  corrected: Count,
  replayed: Count,
  resolved: Count,
  examples: z.array(z.object({ line: Count.nullable(), value: z.string().nullable() })),
  fix: Fix.nullable(),
});

const RejectFilter = z.object({
  cluster: z.string().max(1000).optional(),
  code: Several.optional(),
  status: Several.optional(),
});

/** For a view that jumps. Refused rows keep their order, so that a place is a place; rows that a status leaves out are not counted. */
const Skip = z.coerce.number().int().min(0).max(10_000_000).default(0).describe('How many rows of the list to skip.');

/** Longer pages than elsewhere: a file may have a hundred thousand refused rows, and somebody scrolls to the last. */
const RejectLimit = z.coerce.number<number | string>().int().min(1).max(2_000).default(50);

const CorrectionAnswer = z.object({
  reject: Reject,
  valid: z.boolean(),
  faults: z.array(Fault).describe('What is still wrong with the corrected row.'),
});

const readers: readonly Role[] = ['admin', 'user', 'service'];
const byRun = z.object({ run_id: Id });

export const rejectRoutes = defineRoutes({
  'rejects.list': {
    tag: 'Rejects',
    summary: 'The refused rows of a run, in file order',
    access: allow(readers, 'runs:read'),
    params: byRun,
    query: Page.extend(RejectFilter.shape).extend({ limit: RejectLimit, skip: Skip }),
    answer: json(list(Reject)),
    errors: ['run_not_found', 'cursor_malformed'],
  },
  'rejects.clusters': {
    tag: 'Rejects',
    summary: 'The refused rows grouped by cause, with a suggested fix where one is evident',
    access: allow(readers, 'runs:read'),
    params: byRun,
    answer: json(z.object({ data: z.array(RejectCluster) })),
    errors: ['run_not_found'],
  },
  'rejects.download': {
    tag: 'Rejects',
    summary: 'The refused rows as CSV with line, code and message added; may be corrected and uploaded again',
    access: allow(readers, 'runs:read'),
    params: byRun,
    query: RejectFilter,
    answer: file('text/csv'),
    errors: ['run_not_found'],
  },
  'rejects.correct': {
    tag: 'Rejects',
    summary: 'Correct one refused row',
    access: allow(readers, 'runs:write'),
    params: byRun.extend({ reject_id: z.string().max(64) }),
    body: z.strictObject({
      cells: Cells.describe('Only the cells that change; an empty object takes the correction back.'),
    }),
    answer: json(CorrectionAnswer),
    errors: ['run_not_found', 'reject_not_found', 'reject_settled'],
  },
  'rejects.correct-cluster': {
    tag: 'Rejects',
    summary: 'Apply a fix to every open row of a cluster',
    access: allow(readers, 'runs:write'),
    params: byRun,
    body: z.strictObject({
      cluster: z.string().max(1000),
      fix: z.strictObject({
        kind: z.string().max(60),
        column: z.string().max(300),
        params: z.record(z.string(), z.unknown()).default({}),
      }),
      preview: z.boolean().default(false),
    }),
    answer: json(
      z.object({
        matched: Count,
        valid: Count,
        still_faulty: Count,
        preview: z.boolean(),
        sample: z.array(
          z.object({ line: Count.nullable(), before: z.string().nullable(), after: z.string().nullable() }),
        ),
      }),
    ),
    errors: ['run_not_found', 'fix_unknown'],
  },
  'rejects.replay': {
    tag: 'Rejects',
    summary: 'Run the corrected rows again, through the same mapping version',
    access: allow(readers, 'runs:write'),
    params: byRun,
    body: z
      .strictObject({
        reject_ids: z.array(z.string().max(64)).max(10_000).optional(),
        uncorrected: z
          .boolean()
          .optional()
          .describe('Also rows that nobody has corrected, as they are: what refused them may be gone.'),
      })
      .optional(),
    answer: json(RunLink.extend({ rows: Count }), 202),
    errors: ['run_not_found', 'nothing_to_replay'],
  },
});
