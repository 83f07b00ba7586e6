// POST /v1/uploads/:upload_id/reread: reads the stored file again, with the mapping that is saved now and the choices given for this file.
import { makerOf } from '../../../access/principal.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { readShownRun } from '../../../engine/reads/read-run.ts';
import { type Handlers, handle } from '../../../http/call.ts';
import { actorOf, engineOf } from '../../../http/engine-of.ts';
import { change, look } from '../../../http/routes/change.ts';
import { AdsInput } from '../input.ts';
import { selectChoices, upsertChoices } from '../sql/upload-readings.ts';

export const rereadHandlers: Handlers = handle('uploads.reread', async (call) => {
  const { upload_id: upload } = call.params;
  const engine = engineOf(call);
  const run = await look(call, (db, tenantId) => readShownRun(db, tenantId, upload));
  if (run === undefined || run.pipeline !== 'ads' || run.blob_id === null)
    throw new MillraceError('upload_not_found', { upload });
  if (run.phase !== 'done' && run.phase !== 'failed')
    throw new MillraceError('upload_unfinished', { upload, status: run.status });
  const input = AdsInput.parse(run.input);
  const blobId = run.blob_id;
  await change(
    call,
    async (db, tenantId) => {
      const choices = { ...input.choices, ...(await selectChoices(db, upload)), ...call.body };
      await upsertChoices(db, { uploadId: upload, workspaceId: tenantId, choices });
    },
    () => ({ target: upload }),
  );
  const { correlationId } = call.origin;
  if (run.phase === 'failed') {
    const { id } = await engine.retry(actorOf(call.principal), upload, correlationId === null ? {} : { correlationId });
    return { upload_id: id, reread_of: null, retry_of: upload };
  }
  const { same_bytes_as: _, ...asked } = input;
  const { id, created } = await engine.enqueue({
    pipeline: 'ads',
    tenantId: run.tenant_id,
    // As old as before: reading a file otherwise makes its numbers no newer.
    input: { ...asked, reread_of: upload },
    blobId,
    uniqueKey: `reread:${upload}`,
    createdBy: makerOf(call.principal),
    ...(correlationId === null ? {} : { correlationId }),
  });
  const isLive = created || (await engine.run(run.tenant_id, id)).finished_at === null;
  if (!isLive) throw new MillraceError('already_reread', { upload, run: id });
  return { upload_id: id, reread_of: upload, retry_of: null };
});
