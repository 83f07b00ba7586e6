// The tools of a run's pipeline for its refused rows; without them its rejects can be seen but not corrected.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { ShownRun } from '../../engine/reads/run-columns.ts';
import type { AppContext } from '../app-context.ts';
import { partsOf } from '../pipeline-parts.ts';
import type { RejectTools } from './reject-tools.ts';

export function rejectToolsFor(app: AppContext, run: ShownRun, operation: string): RejectTools {
  const tools = partsOf(app, run.pipeline).rejects;
  if (tools === undefined) throw new MillraceError('not_available', { operation: `${operation} of ${run.pipeline}` });
  return tools;
}
