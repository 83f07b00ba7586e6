// Runs: one accepted request to ingest each. `status` is the pipeline's own word, `phase` what the engine may do with it.
import { z } from 'zod';
import { Question } from './questions.ts';
import { Receipt } from './receipt.ts';
import { allow, type Role } from './roles.ts';
import { defineRoutes, json } from './route.ts';
import { Count, Id, list, Page, Position, Several, Time } from './values.ts';

export const Phase = z.enum(['waiting', 'active', 'done', 'failed', 'dead']);

const RunAction = z.enum([
  'hold',
  'resume',
  'cancel',
  'retry',
  'requeue',
  'acknowledge',
  'verify',
  'replay',
  'promote_valid',
  'undo',
]);

const RunError = z.object({
  code: z.string(),
  message: z.string(),
  next: z.string().nullable(),
});

const Progress = z.object({
  done: Count,
  total: Count.nullable(),
  unit: z.string().describe('rows, bytes, items …'),
  per_second: z.number().nullable(),
  eta_at: Time.nullable(),
  at: Time,
});

/** Why a waiting run waits, for programs (`code`) and people (`text`). */
const WaitReason = z.object({
  code: z
    .string()
    .describe('held, question, paused, retry, rate_limit, later, delivery, no_worker, cap, alone, behind, next.'),
  text: z.string(),
  until: Time.nullable(),
});

export const Run = z.object({
  run_id: Id,
  pipeline: z.string(),
  status: z.string(),
  phase: Phase,
  stage: z.string().nullable(),
  title: z.string().nullable().describe('The file name or whatever names the input for a person.'),
  source: z
    .string()
    .nullable()
    .describe('Where it came from: manual, api, webhook, replay, airbyte, folder:<its name>, schedule:<its name> …'),
  lane: z.string(),
  priority: z.int(),
  attempt: Count,
  held: z.object({ at: Time, by: z.string().nullable() }).nullable(),
  receipt: Receipt.nullable(),
  progress: Progress.nullable(),
  rejects: z.object({
    total: Count,
    open: Count.nullable().describe(
      'How many wait to be corrected or resolved. null in a list if there are more than 1,000; the single run has the number.',
    ),
  }),
  error: RunError.nullable(),
  retry_of: Id.nullable(),
  retried_as: Id.nullable(),
  requeued_as: Id.nullable(),
  acknowledged: z
    .object({ at: Time, by: z.string(), reason: z.string() })
    .nullable()
    .describe('Set when a person has seen a dead letter and nothing more is to be done.'),
  created_by: z.string().nullable(),
  correlation_id: z.string().nullable(),
  created_at: Time,
  started_at: Time.nullable(),
  finished_at: Time.nullable(),
  updated_at: Time,
});

export const Attempt = z.object({
  attempt: Count.describe('Among all attempts of the run; the fence.'),
  number: Count.describe('Among the attempts of its stage, from 1: what people are told.'),
  stage: z.string(),
  worker: z.string().nullable(),
  queued_at: Time.nullable(),
  started_at: Time,
  finished_at: Time.nullable(),
  queue_wait_ms: z.number().nullable(),
  work_ms: z.number().nullable(),
  outcome: z
    .string()
    .nullable()
    .describe('null while it runs; else the event that ended it: pass, complete, fail, release, lost …'),
  error: RunError.nullable(),
});

/** One bar of the stage chart: all attempts of one stage together. */
export const StageReport = z.object({
  stage: z.string(),
  state: z.enum(['not_started', 'waiting', 'active', 'done', 'failed']),
  queued_at: Time.nullable(),
  started_at: Time.nullable(),
  finished_at: Time.nullable(),
  queue_wait_ms: z.number().nullable(),
  work_ms: z.number().nullable(),
  attempts: Count,
  attempts_allowed: Count.nullable().describe(
    'How many it may have in all if it goes on failing as it last did; null where nothing limits them, and once the stage has ended.',
  ),
});

/** One step of the adaptive controller, so that the throughput strip can draw it. */
const Decision = z.object({
  at: Time,
  stage: z.string(),
  knob: z.string(),
  from: z.number(),
  to: z.number(),
  reason: z.string(),
});

/** How far an attempt was at a moment, kept more and more sparsely as it grows old. Also a sign that its worker was alive. */
const ProgressSample = z.object({
  at: Time,
  attempt: Count,
  stage: z.string(),
  done: Count,
  unit: z.string().nullable(),
});

/** A run that took refused rows of another one. */
const Replay = z.object({
  run_id: Id,
  status: z.string(),
  phase: Phase,
  rows: Count.describe('Refused rows it took.'),
  refused: Count.describe('Rows it refused itself, so far as it has a receipt.'),
});

export const RunDetail = Run.extend({
  input: z.record(z.string(), z.unknown()),
  wait: WaitReason.nullable(),
  question: Question.nullable().describe(
    'What the run asks before it goes on; POST /v1/questions/:question_id/answer.',
  ),
  next: z.string().nullable().describe('What happens next, in one sentence.'),
  actions: z.array(RunAction).describe('What this caller may do with the run now.'),
  file: z
    .object({ bytes: Count, sha256: z.string() })
    .nullable()
    .describe('What was uploaded; null when there was no file.'),
  stages: z.array(StageReport),
  attempts: z.array(Attempt),
  decisions: z.array(Decision),
  samples: z.array(ProgressSample),
  undone_as: Id.nullable().describe('The run that undoes this one, or has undone it.'),
  replays: z.array(Replay).describe('Runs that took refused rows of this one again, oldest first; at most fifty.'),
  last_position: Position.describe('Follow the live feed from here to miss nothing.'),
});

/** One row of a run's file, and how it ended. */
const FileRow = z.object({
  row: Count.describe('Its place among the rows of the file, from 1.'),
  line: Count,
  outcome: z.string().describe('A word of the receipt: inserted, updated, unchanged, merged, superseded, stale …'),
  cells: z.record(z.string(), z.string().nullable()).describe('What was read, under the names of the fields.'),
  stored_id: z.string().nullable().describe('What holds it now: the id of a daily number, a judgment or an item.'),
});

export const RunEvent = z.object({
  position: Position,
  event_id: z.string(),
  type: z.string(),
  run_id: Id.nullable(),
  pipeline: z.string().nullable(),
  occurred_at: Time,
  data: z.record(z.string(), z.unknown()),
});

/** Given together they narrow; each may hold several values where it says so. */
const RunFilter = z.object({
  pipeline: Several.optional(),
  status: Several.optional(),
  phase: Several.optional(),
  source: Several.optional().describe(
    'As shown, or its kind: folder, schedule. One value or several, separated by commas.',
  ),
  since: Time.optional().describe('Created at or after.'),
  until: Time.optional().describe('Created before.'),
  q: z.string().max(200).optional().describe('Part of the title, or a run id.'),
});

const BulkRequest = z.strictObject({
  action: z.enum(['hold', 'resume', 'cancel', 'retry', 'requeue']),
  filter: RunFilter.strict().extend({ run_ids: z.array(Id).min(1).max(500).optional() }),
  preview: z.boolean().default(false),
  expected: Count.optional().describe('The count the preview gave; acting without it is refused.'),
});

export const BulkAnswer = z.object({
  action: z.string(),
  preview: z.boolean(),
  count: Count.describe('Runs the filter matches on which the action is legal.'),
  changed: Count,
  skipped: z.array(z.object({ run_id: Id, code: z.string(), message: z.string() })),
  sample: z.array(z.object({ run_id: Id, title: z.string().nullable(), status: z.string() })),
});

export const Verification = z.object({
  run_id: Id,
  matches: z.boolean(),
  receipt: Receipt,
  recount: Receipt,
  differences: z.array(z.string()).describe('One sentence per disagreement.'),
  verified_at: Time,
});

const Undo = z.object({
  run_id: Id.nullable().describe('The run that undoes it; null when only asked what would be undone.'),
  undoes: Id,
  dry_run: z.boolean(),
  counts: z
    .record(z.string(), Count)
    .describe('What was stored, by what becomes of it: removed, or restored to what it was before.'),
});

/** What a dead letter is requeued for. */
export const ForTicket = z.strictObject({
  ticket: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .describe('The ticket or the reason this is done for; kept in the audit log.'),
});

export const RunLink = z.object({ run_id: Id, status: z.string(), phase: Phase });

const StartRequest = z.strictObject({
  pipeline: z.string().max(60),
  workspace_id: Id.optional().describe('Must equal the tenant of the credential.'),
  input: z.record(z.string(), z.unknown()).describe('What the run is asked to do, in the words of its pipeline.'),
});

const readers: readonly Role[] = ['admin', 'user', 'support', 'service'];
const actors: readonly Role[] = ['admin', 'user', 'service'];
const byId = z.object({ run_id: Id });
const reason = z.strictObject({ reason: z.string().max(500).optional() }).optional();

function act(summary: string, code?: 'event_illegal' | 'run_already_retried') {
  return {
    tag: 'Runs',
    summary,
    access: allow(actors, 'runs:write'),
    params: byId,
    body: reason,
    answer: json(RunLink),
    errors: ['run_not_found', 'event_illegal', ...(code ? [code] : [])],
  } as const;
}

export const runRoutes = defineRoutes({
  'runs.list': {
    tag: 'Runs',
    summary: 'List runs, newest first',
    notes:
      'Support sees dead letters only. A page may hold fewer runs than asked for while `next` is set: the search goes on there.',
    access: allow(readers, 'runs:read'),
    query: Page.extend(RunFilter.shape),
    answer: json(list(Run)),
    errors: ['cursor_malformed'],
  },
  'runs.start': {
    tag: 'Runs',
    summary: 'Start a run of a pipeline that can be started directly',
    notes: 'Pipelines that take files are started by an upload. GET /v1/pipelines says which ones may be started here.',
    access: allow(actors, 'uploads:write'),
    body: StartRequest,
    answer: json(RunLink, 202),
    errors: ['pipeline_unknown', 'pipeline_not_startable', 'input_invalid'],
  },
  'runs.bulk': {
    tag: 'Runs',
    summary: 'Act on every run a filter matches',
    notes:
      'Ask with preview first, then act with the count it gave; when the count has changed, nothing is done (409).',
    access: allow(readers, 'runs:write'),
    body: BulkRequest,
    answer: json(BulkAnswer),
    errors: ['bulk_count_changed', 'bulk_count_missing', 'forbidden'],
  },
  'runs.show': {
    tag: 'Runs',
    summary: 'Show a run: state, why it waits, what happens next, receipt, stages, attempts',
    access: allow(readers, 'runs:read'),
    params: byId,
    answer: json(RunDetail),
    errors: ['run_not_found'],
  },
  'runs.events': {
    tag: 'Runs',
    summary: 'The events of a run, oldest first',
    access: allow(readers, 'runs:read'),
    params: byId,
    query: Page.extend({ type: Several.optional() }),
    answer: json(list(RunEvent)),
    errors: ['run_not_found', 'cursor_malformed'],
  },
  'runs.rows': {
    tag: 'Runs',
    summary: 'The rows of a run’s file in file order, each with how it ended',
    notes:
      'Refused rows are under rejects. Staged rows are forgotten some days after the run; `kept` is then false and the receipt alone remains.',
    access: allow(['admin', 'user', 'service'], 'data:read'),
    params: byId,
    query: Page.extend({ outcome: Several.optional() }),
    answer: json(list(FileRow).extend({ kept: z.boolean() })),
    errors: ['run_not_found', 'cursor_malformed'],
  },
  'runs.attempts': {
    tag: 'Runs',
    summary: 'Every execution of every stage of a run',
    access: allow(readers, 'runs:read'),
    params: byId,
    query: Page,
    answer: json(list(Attempt)),
    errors: ['run_not_found', 'cursor_malformed'],
  },
  'runs.hold': act('Hold a waiting run'),
  'runs.resume': act('Resume a held run'),
  'runs.cancel': act('Cancel a run; a running stage is told to stop and can write nothing more'),
  'runs.retry': {
    ...act('Retry an ended run', 'run_already_retried'),
    notes:
      'Answers with the run that now does the work: the same run, or a new one linked by retry_of. Two clicks make one run.',
    body: z
      .strictObject({
        reason: z.string().max(500).optional(),
        force_partial: z.boolean().optional().describe('Promote the valid rows of an upload that failed the gate.'),
      })
      .optional(),
    answer: json(RunLink, 202),
  },
  'runs.requeue': {
    tag: 'Runs',
    summary: 'Requeue a dead letter',
    access: allow(['admin', 'support']),
    params: byId,
    body: ForTicket,
    answer: json(RunLink, 202),
    errors: ['run_not_found', 'not_a_dead_letter'],
  },
  'runs.undo': {
    tag: 'Runs',
    summary: 'Undo a finished run: remove what it stored and restore what it replaced',
    notes:
      'A new run does it, with a receipt of its own. What another run has restated or confirmed since stays. With dry_run nothing is changed, and the answer says what would be. Two clicks make one run. Not every pipeline can: `actions` of the run says so.',
    access: allow(actors, 'runs:write'),
    params: byId,
    body: z.strictObject({ dry_run: z.boolean().default(false) }).optional(),
    answer: json(Undo, 202),
    errors: ['run_not_found', 'undo_unsupported', 'run_undone'],
  },
  'runs.verify': {
    tag: 'Runs',
    summary: 'Recount a finished run from its file and the tables and compare with its receipt',
    access: allow(actors, 'runs:read'),
    params: byId,
    answer: json(Verification),
    errors: ['run_not_found', 'verify_unfinished', 'verify_unsupported'],
  },
  'dead-letters.list': {
    tag: 'Runs',
    summary: 'Runs that are not retried automatically and that nobody has dealt with',
    notes:
      'Dead runs, and failed ones of pipelines whose failed runs wait for a person (judgments). They leave when they are retried, ' +
      'requeued, superseded or acknowledged.',
    access: allow(['admin', 'support', 'service'], 'runs:read'),
    query: Page.extend({ pipeline: Several.optional() }),
    answer: json(list(Run)),
    errors: ['cursor_malformed'],
  },
  'dead-letters.acknowledge': {
    tag: 'Runs',
    summary: 'Say that a dead letter has been seen and nothing more is to be done; it leaves the list',
    notes: 'The run itself does not change. A second time changes nothing.',
    access: allow(['admin', 'support']),
    params: byId,
    body: z.strictObject({
      reason: z.string().trim().min(1).max(200).describe('The ticket or the reason; kept in the audit log.'),
    }),
    answer: json(RunLink),
    errors: ['run_not_found', 'not_a_dead_letter'],
  },
});
