// GET /v1/batches/:batch_id
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { findNewestRevision } from '../../../pipelines/judgments/sql/find-batch.ts';
import { handle } from '../../call.ts';
import { readRun } from '../../sql/read-run.ts';
import { look } from '../change.ts';
import { viewBatch } from './batch-view.ts';

export const showBatch = handle('batches.show', async (call) => {
  const { batch_id: batch } = call.params;
  const run = await look(call, async (db, tenantId) => {
    const newest = await findNewestRevision(db, tenantId, batch);
    return newest === undefined ? undefined : readRun(db, tenantId, newest.id);
  });
  if (run === undefined) throw new MillraceError('batch_not_found', { batch });
  return viewBatch(run);
});
