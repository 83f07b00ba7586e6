// One ingestion run as an answer.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { ShownRun } from '../../../engine/reads/run-columns.ts';
import type { Queryable } from '../../../platform/database.ts';
import type { Call } from '../../call.ts';
import { viewIngestionRuns } from '../../run-views/ingestion-lines.ts';
import type { IngestionRunView } from '../../run-views/ingestion-view.ts';
import { look } from '../change.ts';

type OneRun = Pick<Call<'ingestion-runs.show' | 'ingestion-runs.retry'>, 'app' | 'principal' | 'params'>;

export function answerIngestionRun(
  call: OneRun,
  find: (db: Queryable) => Promise<ShownRun>,
): Promise<IngestionRunView> {
  return look(call, async (db, tenantId) => {
    const [view] = await viewIngestionRuns(call.app, db, tenantId, [await find(db)]);
    if (view === undefined) throw new MillraceError('run_not_found', { run: call.params.run_id });
    return view;
  });
}
