// Ingestion runs as the document specification has them: a retry that a person asks for is a new attempt of the same run. In the ledger it is a run of
// its own, because what has ended never changes; here the whole line of retries goes by the id of its first run and the state of its last.
import type { Principal } from '../../access/principal.ts';
import { type RetriedLine, readLines, readShownRun } from '../../engine/reads/read-run.ts';
import type { ShownRun } from '../../engine/reads/run-columns.ts';
import type { Queryable } from '../../platform/database.ts';
import type { AppContext } from '../app-context.ts';
import { partsOf } from '../pipeline-parts.ts';
import { type IngestionRunView, viewIngestionRun } from './ingestion-view.ts';
import { requireVisibleRun } from './show-run.ts';

type HasPipelines = Pick<AppContext, 'pipelines'>;

/** Undefined where there are none. */
export function pipelinesWithLines({ pipelines = {} }: HasPipelines): readonly string[] | undefined {
  const names = Object.keys(pipelines).filter((name) => pipelines[name]?.retriesAreAttempts === true);
  return names.length === 0 ? undefined : names;
}

/** The run of the ledger that does the work of an ingestion run now, whichever of its line is named. */
export async function findWorkingRun(
  app: HasPipelines,
  db: Queryable,
  principal: Principal,
  runId: string,
): Promise<ShownRun> {
  const run = await requireVisibleRun(db, principal, runId);
  const line = (await linesOf(app, db, principal.tenantId, [run])).get(run.id);
  return line === undefined || line.last === run.id ? run : requireVisibleRun(db, principal, line.last);
}

/** Runs that are each the last of their line, as they are shown. */
export async function viewIngestionRuns(
  app: HasPipelines,
  db: Queryable,
  tenantId: string,
  rows: readonly ShownRun[],
): Promise<IngestionRunView[]> {
  const lines = await linesOf(app, db, tenantId, rows);
  const views: IngestionRunView[] = [];
  for (const row of rows) {
    const view = viewIngestionRun(row, partsOf(app, row.pipeline).channel);
    const line = lines.get(row.id);
    const first = line === undefined ? undefined : await readShownRun(db, tenantId, line.first);
    views.push(line === undefined || first === undefined ? view : asAttempt(view, first, line));
  }
  return views;
}

/** Of runs that were retried, or are retries. */
async function linesOf(
  app: HasPipelines,
  db: Queryable,
  tenantId: string,
  rows: readonly ShownRun[],
): Promise<ReadonlyMap<string, RetriedLine>> {
  const known = pipelinesWithLines(app) ?? [];
  const linked = rows.filter(
    ({ pipeline, retry_of: before, retried_as: after }) =>
      known.includes(pipeline) && (before !== null || after !== null),
  );
  if (linked.length === 0) return new Map();
  return readLines(
    db,
    tenantId,
    linked.map(({ id }) => id),
  );
}

function asAttempt(view: IngestionRunView, first: ShownRun, { runs }: RetriedLine): IngestionRunView {
  return {
    ...view,
    run_id: first.id,
    work_run_id: view.run_id,
    attempts: runs,
    created_at: first.created_at.toISOString(),
    started_at: first.started_at?.toISOString() ?? view.started_at,
    config: { ...view.config, retry_of: null, retried_as: null },
  };
}
