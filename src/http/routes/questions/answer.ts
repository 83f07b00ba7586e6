// POST /v1/questions/:question_id/answer
import { auditApart } from '../../../access/audit.ts';
import { handle } from '../../call.ts';
import { actorOf, engineOf } from '../../engine-of.ts';
import { linkRun } from '../runs/link-run.ts';

export const answerQuestion = handle('questions.answer', async (call) => {
  const { principal, params, body, origin, app } = call;
  const { run_id: runId, code } = await engineOf(call).answer(actorOf(principal), params.question_id, body.choice);
  const data = { code, choice: body.choice, question: params.question_id };
  await auditApart(app.pool, principal, origin, { action: 'questions.answer', target: runId, data });
  return linkRun(call, runId);
});
