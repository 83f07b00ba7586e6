// Questions and their answers. Lock order: question first, then ledger.
import type { Queryable } from '../../platform/database.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { Answer, Choice, Question } from '../question.ts';
import { type HiddenRuns, hiddenValues, isSeen } from '../reads/private-runs.ts';
import { endedColumns, endIsTold } from './ending-waiting-runs.ts';

export interface QuestionRow {
  readonly question_id: string;
  readonly tenant_id: string;
  readonly run_id: string;
  readonly code: string;
  readonly text: string;
  readonly details: unknown;
  readonly choices: readonly Choice[];
  readonly asked_at: Date;
  readonly expires_at: Date;
}

const columns = 'q.question_id, q.tenant_id, q.run_id, q.code, q.text, q.details, q.choices, q.asked_at, q.expires_at';
/** Answered questions of a run that has ended, and questions whose run was lost before it was held, are not open. */
const isOpen = `q.closed_at is null and (
        select r.phase = 'waiting' and r.wait_reason ->> 'kind' = 'question' from engine.runs r where r.id = q.run_id limit 1)`;

/** The next question of its run. An attempt that was lost before its end was written asks the same one again. */
export async function insertQuestion(
  db: Queryable,
  run: { readonly id: string; readonly tenantId: string },
  question: Question,
  timeoutHours: number,
): Promise<void> {
  await db.query({
    name: 'engine-insert-question',
    text: `
      insert into engine.questions (question_id, tenant_id, run_id, number, code, text, details, choices, expires_at)
      select $1, $2, $3, 1 + (select count(*) from engine.questions where run_id = $3 and closed_at is not null),
             $4, $5, $6::jsonb, $7::jsonb, engine.now() + $8 * interval '1 hour'
      on conflict (run_id, number) do nothing`,
    values: [
      uuidv7(),
      run.tenantId,
      run.id,
      question.code,
      question.text,
      JSON.stringify(question.details),
      JSON.stringify(question.choices),
      timeoutHours,
    ],
  });
}

/** The answers a run was given, first to last. */
export async function selectAnswers(db: Queryable, runId: string): Promise<Answer[]> {
  const { rows } = await db.query<{ answer: string; choices: readonly Choice[]; details: unknown }>({
    name: 'engine-select-answers',
    text: `select answer, choices, details from engine.questions where run_id = $1 and answer is not null order by number`,
    values: [runId],
  });
  return rows.map(({ answer, choices, details }) => ({
    choice: answer,
    data: choices.find(({ choice }) => choice === answer)?.data ?? null,
    details,
  }));
}

export async function findQuestion(
  db: Queryable,
  tenantId: string,
  questionId: string,
): Promise<QuestionRow | undefined> {
  const { rows } = await db.query<QuestionRow>({
    name: 'engine-find-question',
    text: `select ${columns} from engine.questions q where q.question_id = $2 and q.tenant_id = $1`,
    values: [tenantId, questionId],
  });
  return rows[0];
}

/** The question a run waits for. */
export async function findOpenQuestion(
  db: Queryable,
  tenantId: string,
  runId: string,
): Promise<QuestionRow | undefined> {
  const { rows } = await db.query<QuestionRow>({
    name: 'engine-find-open-question',
    text: `
      select ${columns} from (select * from engine.questions where run_id = $2 order by number desc limit 1) q
      where q.tenant_id = $1 and ${isOpen}`,
    values: [tenantId, runId],
  });
  return rows[0];
}

/** Oldest first, from the one behind `after` on. */
export async function listOpenQuestions(
  db: Queryable,
  tenantId: string,
  page: { readonly after: string | null; readonly limit: number; readonly hidden?: HiddenRuns | undefined },
): Promise<QuestionRow[]> {
  const { rows } = await db.query<QuestionRow>({
    name: 'engine-list-open-questions',
    text: `
      select ${columns} from engine.questions q
      where q.tenant_id = $1 and ($2::uuid is null or q.question_id > $2) and ${isOpen}
        and ($4::text[] is null or exists (select from engine.runs o where o.id = q.run_id and ${isSeen('o', '$4', '$5')}))
      order by q.question_id
      limit $3`,
    values: [tenantId, page.after, page.limit, ...hiddenValues(page.hidden)],
  });
  return rows;
}

/** False when somebody was faster. */
export async function closeQuestion(
  db: Queryable,
  questionId: string,
  answer: { readonly choice: string; readonly by: string },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'engine-close-question',
    text: `
      update engine.questions set closed_at = engine.now(), answer = $2, answered_by = $3
      where question_id = $1 and closed_at is null`,
    values: [questionId, answer.choice, answer.by],
  });
  return rowCount === 1;
}

/** Closes questions whose time is over. One that is being answered right now is left to its answer. */
export async function takeOverdueQuestions(db: Queryable, limit: number): Promise<QuestionRow[]> {
  const { rows } = await db.query<QuestionRow>({
    name: 'engine-take-overdue-questions',
    text: `
      update engine.questions q set closed_at = engine.now()
      where q.question_id = any (array(
        select question_id from engine.questions
        where closed_at is null and expires_at <= (select engine.now())
        order by expires_at
        limit $1
        for update skip locked
      ))
      returning ${columns}`,
    values: [limit],
  });
  return rows;
}

/** A bounded number of them. */
export async function deleteOldQuestions(db: Queryable, days: number, limit: number): Promise<void> {
  await db.query({
    name: 'engine-delete-old-questions',
    text: `
      delete from engine.questions
      where question_id = any (array(
        select question_id from engine.questions
        where closed_at < (select engine.now() - $1 * interval '1 day')
        order by closed_at
        limit $2))`,
    values: [days, limit],
  });
}

/** Ends a run that is held by a question; false when it is not. */
export async function failAskedRun(
  db: Queryable,
  end: { readonly tenantId: string; readonly runId: string; readonly code: string; readonly text: string },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'engine-fail-asked-run',
    text: `
      with ended as (
        update engine.runs r
        set status = t.to_status, phase = t.to_phase, error_code = $3, error_text = $4, active_key = null, held_at = null, held_by = null,
            wait_reason = null, finished_at = engine.now(), updated_at = engine.now()
        from engine.transitions t
        where r.id = $2 and r.tenant_id = $1 and r.phase = 'waiting' and r.wait_reason ->> 'kind' = 'question'
          and t.pipeline = r.pipeline and t.from_status = r.status and t.event = 'fail'
        returning ${endedColumns}
      ), ${endIsTold}`,
    values: [end.tenantId, end.runId, end.code, end.text],
  });
  return rowCount === 1;
}
