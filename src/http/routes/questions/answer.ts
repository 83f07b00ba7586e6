// POST /v1/questions/:question_id/answer
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { isHiddenRun } from '../../../engine/reads/private-runs.ts';
import { findQuestion } from '../../../engine/sql/questions.ts';
import { handle } from '../../call.ts';
import { actorOf, engineOf } from '../../engine-of.ts';
import { linkRun } from '../../run-actions/link-run.ts';
import { hiddenFrom } from '../../run-views/hidden-runs.ts';
import { look } from '../change.ts';

export const answerQuestion = handle('questions.answer', async (call) => {
  const { app, principal, params, body } = call;
  const hidden = hiddenFrom(app, principal);
  if (hidden !== undefined)
    await look(call, async (db, tenantId) => {
      const question = await findQuestion(db, tenantId, params.question_id);
      if (question !== undefined && (await isHiddenRun(db, tenantId, question.run_id, hidden)))
        throw new MillraceError('question_not_found', { question: params.question_id });
    });
  const { run_id: runId, code } = await engineOf(call).answer(actorOf(principal), params.question_id, body.choice);
  call.trail.acted({ target: runId, data: { code, choice: body.choice, question: params.question_id } });
  return linkRun(call, runId);
});
