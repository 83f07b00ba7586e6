// POST /v1/runs: starts a run of a pipeline that says it may be started with an input of the caller's.
import { makerOf } from '../../../access/principal.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';
import { partsOf } from '../../pipeline-parts.ts';
import { linkRun } from '../../run-actions/link-run.ts';

export const startRun = handle('runs.start', async (call) => {
  const { principal, body, idempotencyKey: key, request } = call;
  const { pipeline, input } = body;
  const engine = engineOf(call);
  if (!engine.registry.has(pipeline))
    throw new MillraceError('pipeline_unknown', { pipeline, known: [...engine.registry.keys()].join(', ') });
  if (partsOf(call.app, pipeline).mayStart !== true) throw new MillraceError('pipeline_not_startable', { pipeline });
  const { id } = await engine.enqueue({
    pipeline,
    tenantId: principal.tenantId,
    input,
    correlationId: request.id,
    sourceId: 'api',
    // Also when the process that made the run died before its answer was kept.
    ...(key === undefined ? {} : { uniqueKey: `start:${key}` }),
    createdBy: makerOf(principal),
  });
  call.trail.acted({ target: id, data: { pipeline } });
  return linkRun(call, id);
});
