// The run that a file of corrected rejects names as its own (retry_of). It must be a run of the caller's tenant and of the pipeline that
// takes the file; another tenant's is as good as none.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Engine } from '../../engine/engine.ts';
import type { RunRow } from '../../engine/reads/run-columns.ts';

export async function requireReturnedRun(
  engine: Pick<Engine, 'run'>,
  tenantId: string,
  runId: string,
  pipeline: string,
): Promise<RunRow> {
  const run = await engine.run(tenantId, runId);
  if (run.pipeline === pipeline) return run;
  const faults = `retry_of: run ${runId} is one of ${run.pipeline}, the file is for ${pipeline}`;
  throw new MillraceError('upload_fields_invalid', { faults });
}
