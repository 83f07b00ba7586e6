// GET /v1/uploads/:upload_id
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { readShownRun } from '../../../engine/reads/read-run.ts';
import { readUploadFacts } from '../../../engine/reads/read-upload-facts.ts';
import { handle } from '../../call.ts';
import { viewUpload } from '../../run-views/upload-view.ts';
import { look } from '../change.ts';

export const showUpload = handle('uploads.show', async (call) => {
  const { upload_id: uploadId } = call.params;
  const { run, facts } = await look(call, async (db, tenantId) => ({
    run: await readShownRun(db, tenantId, uploadId),
    facts: await readUploadFacts(db, tenantId, [uploadId]),
  }));
  if (run === undefined || run.blob_id === null) throw new MillraceError('upload_not_found', { upload: uploadId });
  return viewUpload(run, facts[0]);
});
