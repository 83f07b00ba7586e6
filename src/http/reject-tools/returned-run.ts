// The run whose rejects a file corrects. It must be a run of the caller's tenant and of the pipeline that takes the file; for a run of another
// tenant the answer is that there is none.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Engine } from '../../engine/engine.ts';
import type { RunRow } from '../../engine/reads/run-columns.ts';

/** Which run the fields of an upload name, by the present name of the field or by its former one. */
export function correctedRun(fields: {
  readonly corrects?: string | undefined;
  readonly retry_of?: string | undefined;
}): string | undefined {
  const { corrects, retry_of: former } = fields;
  if (corrects !== undefined && former !== undefined && corrects !== former)
    throw new MillraceError('upload_fields_invalid', { faults: 'corrects and retry_of name different runs' });
  return corrects ?? former;
}

export async function requireReturnedRun(
  engine: Pick<Engine, 'run'>,
  tenantId: string,
  runId: string,
  pipeline: string,
): Promise<RunRow> {
  const run = await engine.run(tenantId, runId);
  if (run.pipeline === pipeline) return run;
  const faults = `corrects: run ${runId} is one of ${run.pipeline}, the file is for ${pipeline}`;
  throw new MillraceError('upload_fields_invalid', { faults });
}
