// GET /v1/batches/:batch_id
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { readShownRun } from '../../../engine/reads/read-run.ts';
import { handle } from '../../../http/call.ts';
import { look } from '../../../http/routes/change.ts';
import { findNewestRevision } from '../sql/find-batch.ts';
import { viewBatch } from './batch-view.ts';

export const showBatch = handle('batches.show', async (call) => {
  const { batch_id: batch } = call.params;
  const run = await look(call, async (db, tenantId) => {
    const newest = await findNewestRevision(db, tenantId, batch);
    return newest === undefined ? undefined : readShownRun(db, tenantId, newest.id);
  });
  if (run === undefined) throw new MillraceError('batch_not_found', { batch });
  return viewBatch(run);
});
