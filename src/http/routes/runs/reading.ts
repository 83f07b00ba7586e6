// GET and PUT /v1/runs/:run_id/reading and …/mapping, for runs of every pipeline that reads tables.
import type { OperationId } from '../../../contract/api/operations.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type Call, type Handlers, handle } from '../../call.ts';
import { partsOf } from '../../pipeline-parts.ts';
import { requireVisibleRun } from '../../run-views/show-run.ts';
import { look } from '../change.ts';

export const runReadings: Handlers = {
  ...handle('runs.reading', async (call) => {
    const { run, readings } = await find(call, call.params.run_id);
    return readings.reading(call, run);
  }),
  ...handle('runs.override', async (call) => {
    const { run, readings } = await find(call, call.params.run_id);
    return readings.override(call, run, call.body);
  }),
  ...handle('runs.mapping', async (call) => {
    const { run, readings } = await find(call, call.params.run_id);
    return readings.mapping(call, run);
  }),
  ...handle('runs.map', async (call) => {
    const { run, readings } = await find(call, call.params.run_id);
    return readings.map(call, run, call.body);
  }),
};

async function find(call: Pick<Call<OperationId>, 'app' | 'principal' | 'operation'>, runId: string) {
  const run = await look(call, (db) => requireVisibleRun(db, call.principal, runId));
  const { readings } = partsOf(call.app, run.pipeline);
  if (readings === undefined)
    throw new MillraceError('not_available', { operation: `${call.operation} of ${run.pipeline}` });
  return { run, readings };
}
