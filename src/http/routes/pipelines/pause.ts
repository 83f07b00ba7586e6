// POST /v1/pipelines/:pipeline/pause and …/resume: the caller's own lane only. Pausing a whole pipeline is the operator's.
import type { AnswerOf } from '../../../contract/api/client.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type Call, handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';
import { describePipelines, laneOf } from './describe-pipelines.ts';

type LaneCall = Call<'pipelines.pause'> | Call<'pipelines.resume'>;

export const pausePipeline = handle('pipelines.pause', async (call) => {
  const { pipeline } = call.params;
  const lane = ownLane(call);
  await engineOf(call).pause(pipeline, call.principal.actor, lane);
  call.trail.acted({ target: pipeline, data: { lane } });
  return describeOne(call);
});

export const resumePipeline = handle('pipelines.resume', async (call) => {
  const { pipeline } = call.params;
  const lane = ownLane(call);
  await engineOf(call).unpause(pipeline, lane);
  call.trail.acted({ target: pipeline, data: { lane } });
  return describeOne(call);
});

/** A lane that other tenants' runs wait in too is not this tenant's to stop. */
function ownLane(call: LaneCall): string {
  const { tenantId } = call.principal;
  const lane = laneOf(engineOf(call).pipeline(call.params.pipeline), tenantId);
  if (!lane.startsWith(tenantId)) throw new MillraceError('not_available', { operation: call.operation });
  return lane;
}

async function describeOne(call: LaneCall): Promise<AnswerOf<'pipelines.pause'>> {
  const found = (await describePipelines(call)).find((each) => each.name === call.params.pipeline);
  if (found === undefined) throw new MillraceError('pipeline_unknown', { pipeline: call.params.pipeline, known: '' });
  return found;
}
