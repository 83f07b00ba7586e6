// A question in the words of the API.
import type { AnswerOf } from '../../contract/api/client.ts';
import type { QuestionRow } from '../../engine/sql/questions.ts';

type View = AnswerOf<'questions.list'>['data'][number];

export function viewQuestion(row: QuestionRow): View {
  const { doubts = [] } = row.details as { readonly doubts?: View['doubts'] };
  return {
    question_id: row.question_id,
    run_id: row.run_id,
    code: row.code,
    text: row.text,
    doubts,
    choices: row.choices.map(({ choice, label, refuses = false }) => ({ choice, label, refuses })),
    asked_at: row.asked_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
}
