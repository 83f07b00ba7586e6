// Questions: a run that is in doubt asks before it stores anything, and waits, held, for one of the answers it offers.
import { z } from 'zod';
import { allow, type Role } from './roles.ts';
import { defineRoutes, json } from './route.ts';
import { Count, Id, list, Page, Time } from './values.ts';

export const Doubt = z.object({
  code: z.string().describe('other_table, rows_set_aside, sheet_doubtful, unnamed_columns, total_differs …'),
  message: z.string(),
  evidence: z.object({ for: z.array(z.string()), against: z.array(z.string()) }),
  rows_at_stake: Count.describe('Rows that would be lost, gained or misread, as far as was seen.'),
  lines: z.array(Count).describe('Lines of the file to look at.'),
});

export const Question = z.object({
  question_id: Id,
  run_id: Id,
  code: z.string().describe('reading_doubtful: with it the run fails when it is refused or nobody answers in time.'),
  text: z.string(),
  doubts: z.array(Doubt),
  choices: z.array(
    z.object({
      choice: z.string(),
      label: z.string(),
      refuses: z.boolean().describe('Ends the run as failed.'),
    }),
  ),
  asked_at: Time,
  expires_at: Time.describe('When the run fails if nobody has answered (DOUBT_TIMEOUT_HOURS).'),
});

const people: readonly Role[] = ['admin', 'user', 'service'];

export const questionRoutes = defineRoutes({
  'questions.list': {
    tag: 'Runs',
    summary: 'Questions of runs that wait for an answer, oldest first',
    access: allow(people, 'runs:read'),
    query: Page,
    answer: json(list(Question)),
    errors: ['cursor_malformed'],
  },
  'questions.answer': {
    tag: 'Runs',
    summary: 'Answer the question of a run',
    notes: 'The run goes on at once, or ends as failed when the answer refuses it. A question is answered once.',
    access: allow(people, 'runs:write'),
    params: z.object({ question_id: Id }),
    body: z.strictObject({ choice: z.string().min(1).max(60).describe('One of the choices of the question.') }),
    answer: json(
      z.object({ run_id: Id, status: z.string(), phase: z.enum(['waiting', 'active', 'done', 'failed', 'dead']) }),
    ),
    errors: ['question_not_found', 'question_closed', 'answer_unknown'],
  },
});
