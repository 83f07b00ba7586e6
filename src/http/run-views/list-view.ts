// Runs as a list shows them: each with how many of its refused rows are still open.
import { countOpenRejects } from '../../engine/reads/list-rejects.ts';
import type { ShownRun } from '../../engine/reads/run-columns.ts';
import { type LookingCall, look } from '../routes/change.ts';
import { type RunView, viewRun } from './run-view.ts';

/** Beyond it a list does not say how many rows of a run are open. */
export const MOST_COUNTED = 1_000;

export async function viewRuns(call: LookingCall, rows: readonly ShownRun[]): Promise<RunView[]> {
  const views = rows.map(viewRun);
  const refusing = views.filter(({ rejects }) => rejects.total > 0).map(({ run_id: id }) => id);
  if (refusing.length === 0) return views;
  const counted = await look(call, (db, tenantId) => countOpenRejects(db, tenantId, refusing, MOST_COUNTED + 1));
  const open = new Map(counted.map((each) => [each.run_id, each.open]));
  return views.map((view) => ({ ...view, rejects: { ...view.rejects, open: whatIsOpen(view, open) } }));
}

function whatIsOpen({ run_id: id, rejects }: RunView, counted: ReadonlyMap<string, number>): number | null {
  if (rejects.total === 0) return 0;
  const open = counted.get(id) ?? 0;
  return open > MOST_COUNTED ? null : open;
}
