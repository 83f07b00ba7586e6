// The operations on uploads that know no pipeline. An upload's id is its run's id; its original is the blob of that run.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { findBlob } from '../../engine/blobs/blobs.ts';
import { readShownRun } from '../../engine/reads/read-run.ts';
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import { type Handlers, handle } from '../call.ts';
import { look } from '../routes/change.ts';
import { sendBlob } from './send-blob.ts';

export function uploadHandlers({ store }: { readonly store: BlobStore }): Handlers {
  return {
    ...handle('uploads.original', async (call) => {
      const { upload_id: upload } = call.params;
      // Under the tenant's row-level security both times: another tenant's upload is as good as none.
      const blob = await look(call, async (db, tenantId) => {
        const run = await readShownRun(db, tenantId, upload);
        return run?.blob_id == null ? undefined : findBlob(db, run.blob_id);
      });
      if (blob === undefined) throw new MillraceError('upload_not_found', { upload });
      return sendBlob(call.reply, store, blob);
    }),
  };
}
