// POST /v1/runs/:run_id/rejects/corrections: one fix for every open row of a cluster, in batches; a preview changes nothing.
import { inTenant } from '../../../access/tenant-session.ts';
import { listRejects, type RejectRow } from '../../../engine/reads/list-rejects.ts';
import type { ShownRun } from '../../../engine/reads/run-columns.ts';
import { correctRejects } from '../../../engine/sql/correct-rejects.ts';
import type { Queryable } from '../../../platform/database.ts';
import { type Call, handle } from '../../call.ts';
import { readFix } from '../../reject-tools/read-fix.ts';
import type { RejectTools } from '../../reject-tools/reject-tools.ts';
import { cellsOf, correctedCells, type StoredCorrection } from '../../reject-tools/reject-view.ts';
import { rejectToolsFor } from '../../reject-tools/tools-for.ts';
import { requireVisibleRun } from '../../run-views/show-run.ts';

type ClusterCall = Call<'rejects.correct-cluster'>;

const BATCH = 1_000;
const SAMPLE = 10;

export const correctCluster = handle('rejects.correct-cluster', async (call) => {
  const { body, principal, app, params } = call;
  // Refused before a row is looked at.
  readFix(body.fix);
  if (body.preview) call.trail.changedNothing();
  const tally = { matched: 0, valid: 0, still_faulty: 0 };
  const sample: { line: number | null; before: string | null; after: string | null }[] = [];
  for (let after = '0'; ; ) {
    const rows = await inTenant(app.pool, principal.tenantId, async (db) => {
      const run = await requireVisibleRun(db, principal, params.run_id);
      const tools = rejectToolsFor(app, run, call.operation);
      const batch = await readBatch(db, call, after);
      const fixCell = readFix(body.fix, (await tools.header?.(run))?.decimal);
      const fixed = batch.map((row) => ({ row, cells: fixRow(row, body.fix.column, fixCell) }));
      const faults = await storeFixed(db, call, { run, tools }, fixed);
      fixed.forEach(({ row, cells }, index) => {
        const isValid = faults[index]?.length === 0;
        tally.matched += 1;
        tally[isValid ? 'valid' : 'still_faulty'] += 1;
        const { [body.fix.column]: before = null } = cellsOf(row.item);
        if (sample.length < SAMPLE) sample.push({ line: row.line, before, after: cells[body.fix.column] ?? null });
      });
      return batch;
    });
    call.trail.acted({ target: params.run_id, data: { ...tally } });
    if (rows.length < BATCH) return { ...tally, preview: body.preview, sample };
    after = rows.at(-1)?.reject_id ?? after;
  }
});

function readBatch(db: Queryable, { principal, params, body }: ClusterCall, after: string): Promise<RejectRow[]> {
  return listRejects(db, {
    tenantId: principal.tenantId,
    runId: params.run_id,
    after,
    cause: body.cluster,
    codes: null,
    statuses: ['open'],
    limit: BATCH,
  });
}

/** The fix is laid over what was corrected before. */
function fixRow(row: RejectRow, column: string, fixCell: (value: string | null) => string | null) {
  const earlier = (row.correction as StoredCorrection | null)?.cells ?? {};
  const { [column]: value = null } = correctedCells(row, earlier);
  return { ...earlier, [column]: fixCell(value) };
}

async function storeFixed(
  db: Queryable,
  { principal, params, body }: ClusterCall,
  { run, tools }: { run: ShownRun; tools: RejectTools },
  fixed: readonly { row: RejectRow; cells: Record<string, string | null> }[],
) {
  if (fixed.length === 0) return [];
  const faults = await tools.check(
    run,
    fixed.map(({ row, cells }) => correctedCells(row, cells)),
  );
  if (!body.preview) {
    const writes = fixed.map(({ row, cells }, index) => ({
      rejectId: row.reject_id,
      correction: { cells, faults: faults[index] ?? [] },
      status: faults[index]?.length === 0 ? ('corrected' as const) : ('open' as const),
    }));
    await correctRejects(db, { tenantId: principal.tenantId, runId: params.run_id, by: principal.actor }, writes);
  }
  return faults;
}
