// POST /v1/questions/:question_id/answer
import { handle } from '../../call.ts';
import { actorOf, engineOf } from '../../engine-of.ts';
import { linkRun } from '../runs/link-run.ts';

export const answerQuestion = handle('questions.answer', async (call) => {
  const { principal, params, body } = call;
  const { run_id: runId, code } = await engineOf(call).answer(actorOf(principal), params.question_id, body.choice);
  call.trail.acted({ target: runId, data: { code, choice: body.choice, question: params.question_id } });
  return linkRun(call, runId);
});
