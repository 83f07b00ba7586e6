// Which runs a caller does not see, although they are of his tenant: those of private pipelines that somebody else made. To him they are runs
// that do not exist. Admins, support and API keys see all runs.
import type { Principal } from '../../access/principal.ts';
import type { OperationId } from '../../contract/api/operations.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { type HiddenRuns, isHiddenRun, listOwners } from '../../engine/reads/private-runs.ts';
import type { ShownRun } from '../../engine/reads/run-columns.ts';
import type { Queryable } from '../../platform/database.ts';
import type { AppContext } from '../app-context.ts';
import type { Call } from '../call.ts';
import { engineOf } from '../engine-of.ts';
import { type LookingCall, look } from '../routes/change.ts';
import type { Finder } from './find-runs.ts';

type HasPipelines = Pick<AppContext, 'pipelines'>;

export function privatePipelines({ pipelines = {} }: HasPipelines): string[] {
  return Object.keys(pipelines).filter((name) => pipelines[name]?.isPrivate === true);
}

/** Undefined: he sees everything. */
export function hiddenFrom(app: HasPipelines, { role, actorId }: Principal): HiddenRuns | undefined {
  const pipelines = role === 'user' ? privatePipelines(app) : [];
  return pipelines.length === 0 ? undefined : { pipelines, viewerId: actorId };
}

export function isShownTo(
  app: HasPipelines,
  principal: Principal,
  run: Pick<ShownRun, 'pipeline' | 'created_by'>,
): boolean {
  const hidden = hiddenFrom(app, principal);
  return hidden === undefined || !hidden.pipelines.includes(run.pipeline) || run.created_by === hidden.viewerId;
}

/** Throws what is thrown for an id that does not exist. Runs and uploads share their ids. */
export async function refuseHiddenRun(
  call: LookingCall & { readonly app: HasPipelines },
  runId: string,
  as: 'run' | 'upload' = 'run',
): Promise<void> {
  const hidden = hiddenFrom(call.app, call.principal);
  if (hidden === undefined) return;
  if (!(await look(call, (db, tenantId) => isHiddenRun(db, tenantId, runId, hidden)))) return;
  throw as === 'run'
    ? new MillraceError('run_not_found', { run: runId })
    : new MillraceError('upload_not_found', { upload: runId });
}

/** What is told of runs, such as alerts, without what is told of hidden ones. */
export async function withoutHidden<Row extends { readonly run_id: string | null }>(
  db: Queryable,
  { app, principal }: { readonly app: HasPipelines; readonly principal: Principal },
  rows: readonly Row[],
): Promise<Row[]> {
  const hidden = hiddenFrom(app, principal);
  const ids = hidden === undefined ? [] : rows.flatMap(({ run_id: id }) => id ?? []);
  if (hidden === undefined || ids.length === 0) return [...rows];
  const owners = await listOwners(db, hidden.pipelines, ids);
  const isHidden = new Set(owners.filter(({ created_by: by }) => by !== hidden.viewerId).map(({ id }) => id));
  return rows.filter(({ run_id: id }) => id === null || !isHidden.has(id));
}

/** Finds runs as the caller sees them. */
export function finderOf(call: Pick<Call<OperationId>, 'app' | 'operation' | 'principal'>): Finder {
  const { app, principal } = call;
  return { pool: app.pool, control: engineOf(call).pools.control, hidden: hiddenFrom(app, principal) };
}
