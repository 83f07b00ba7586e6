// DELETE /v1/batches/:batch_id: only what the golden path stored can be removed, rows and bytes.

import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { expireBlobOf } from '../../../engine/blobs/sql/expire-blob.ts';
import { handle } from '../../../http/call.ts';
import { engineOf } from '../../../http/engine-of.ts';
import { change } from '../../../http/routes/change.ts';
import { isGoldenPathBatch } from '../batch-id.ts';
import { findNewestRevision } from '../sql/find-batch.ts';
import { removeTestRows } from '../sql/remove-test-rows.ts';

export const removeBatch = handle('batches.remove', async (call) => {
  const { batch_id: batch } = call.params;
  const { run } = await change(
    call,
    async (db, tenantId) => {
      const newest = await findNewestRevision(db, tenantId, batch);
      if (newest === undefined) throw new MillraceError('batch_not_found', { batch });
      if (!isGoldenPathBatch(batch)) throw new MillraceError('batch_removal_refused', { batch });
      return { run: newest.id, removed: await removeTestRows(db, tenantId, newest.id) };
    },
    ({ removed }) => ({ target: batch, data: { removed } }),
  );
  await expireBlobOf(engineOf(call).pools.control, call.principal.tenantId, run);
  return undefined;
});
