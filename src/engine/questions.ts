// Questions that a stage asks before it goes on. The run goes back to its waiting state and is held, so that it takes neither a worker nor a
// place under a cap. An answer lets it go on, and its next attempt reads it; an answer that refuses ends it, and so does time.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { type Pool, type Queryable, withTransaction } from '../platform/database.ts';
import { type ActionDeps, type Actor, readOwnRun } from './actions.ts';
import type { Choice } from './question.ts';
import { resumeRun } from './sql/act-on-runs.ts';
import {
  closeQuestion,
  deleteOldQuestions,
  failAskedRun,
  findQuestion,
  type QuestionRow,
  takeOverdueQuestions,
} from './sql/questions.ts';

const OVERDUE_BATCH = 100;
/** Answered questions that one look removes. */
const OLD_BATCH = 500;
const KEPT_DAYS = 90;

export async function answerQuestion(
  deps: ActionDeps,
  actor: Actor,
  questionId: string,
  choice: string,
): Promise<QuestionRow> {
  const question = await findQuestion(deps.pool, actor.tenantId, questionId);
  if (question === undefined) throw new MillraceError('question_not_found', { question: questionId });
  const chosen = question.choices.find((each) => each.choice === choice);
  if (chosen === undefined) {
    const known = question.choices.map((each) => each.choice).join(', ');
    throw new MillraceError('answer_unknown', { question: questionId, answer: choice, known });
  }
  await withTransaction(deps.pool, async (tx) => {
    const isFirst = await closeQuestion(tx, questionId, { choice, by: actor.by });
    if (isFirst && (await actOn(tx, actor, question, chosen))) return;
    const run = await readOwnRun(tx, actor.tenantId, question.run_id);
    // A run that is not held was lost before it came to that; its next attempt reads the answer. One that has ended reads none.
    if (isFirst && (run.phase === 'waiting' || run.phase === 'active')) return;
    throw new MillraceError('question_closed', { question: questionId, run: run.id, state: run.status });
  });
  deps.announceReady();
  return question;
}

/** False when the run is not held by the question. */
function actOn(tx: Queryable, { tenantId, by }: Actor, question: QuestionRow, { refuses }: Choice): Promise<boolean> {
  const { run_id: runId, code } = question;
  if (refuses === true) return failAskedRun(tx, { tenantId, runId, code, text: `${question.text} Refused by ${by}.` });
  return resumeRun(tx, tenantId, runId, { isAsked: true });
}

/** Ends the runs of questions that nobody answered in time. Returns how many were found. */
export async function endOverdueQuestions(pool: Pool): Promise<number> {
  const found = await withTransaction(pool, async (tx) => {
    const overdue = await takeOverdueQuestions(tx, OVERDUE_BATCH);
    for (const { tenant_id: tenantId, run_id: runId, code, text } of overdue)
      await failAskedRun(tx, { tenantId, runId, code, text: `${text} Nobody answered in time.` });
    return overdue.length;
  });
  if (found === 0) await deleteOldQuestions(pool, KEPT_DAYS, OLD_BATCH);
  return found === OVERDUE_BATCH ? found : 0;
}
