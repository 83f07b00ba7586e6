// POST /api/jobs, and the intake behind it and behind every other way in: uploads that name the pipeline, watched folders, samples.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { JobFields } from '../../../contract/pipelines/items/api.ts';
import type { Engine } from '../../../engine/engine.ts';
import { type Handlers, handle } from '../../../http/call.ts';
import { engineOf } from '../../../http/engine-of.ts';
import { acceptUpload, onlyFor } from '../../../http/uploads/accept-upload.ts';
import type { UploadLimits } from '../../../http/uploads/upload-limits.ts';
import type { Log } from '../../../platform/log.ts';
import type { Accepted, Intake } from '../../../sources/intake.ts';
import { acceptJob, requireEnabled } from '../accept-job.ts';
import type { ItemsDeps } from '../deps.ts';
import { imageEndings, isImageName, sniffItemFile } from '../item-file.ts';
import { acceptReference } from './accept-reference.ts';

export function itemsIntake(
  engine: Engine,
  log: Log,
  deps: ItemsDeps,
  ip: string | null = null,
): Intake<typeof JobFields, Accepted> {
  return {
    title: 'Rows or images to be processed one by one',
    accepts: ['csv', 'tsv', 'txt', 'json', 'ndjson', 'xlsx', 'zip', ...imageEndings],
    fields: JobFields,
    sniff: sniffItemFile,
    /** The word after the pipeline's name is the catalogue. */
    folderFields: (word) => (word === undefined ? {} : { catalog: word }),
    check({ tenantId, fields }) {
      requireEnabled(deps);
      if (fields.workspace_id !== undefined && fields.workspace_id !== tenantId)
        throw new MillraceError('workspace_mismatch', { given: fields.workspace_id });
    },
    accept: ({ fields, ...request }) =>
      acceptJob(
        { engine, log, deps },
        {
          ...request,
          processor: fields.processor,
          options: fields.options,
          catalog: fields.catalog,
          duplicates: fields.duplicates,
          onDoubt: fields.on_doubt,
          ip,
        },
      ),
  };
}

/** Images that come as parts of one upload; more of them come as an archive. */
const MAX_IMAGE_PARTS = 2_000;

export function createHandler(deps: ItemsDeps, limits: UploadLimits): Handlers {
  return handle('jobs.create', async (call) => {
    requireEnabled(deps);
    const { app, principal, origin, request } = call;
    const engine = engineOf(call);
    const intake = itemsIntake(engine, app.log, deps, origin.ip);
    if (/^application\/json\b/i.test(request.headers['content-type'] ?? '')) return acceptReference(call, deps, intake);
    const { answer } = await acceptUpload(
      {
        store: deps.store,
        pool: app.pool,
        control: engine.pools.control,
        limits: { ...limits, maxParts: MAX_IMAGE_PARTS },
        packs: isImageName,
      },
      request,
      {
        tenantId: principal.tenantId,
        createdBy: principal.kind === 'user' ? principal.actorId : undefined,
        correlationId: origin.correlationId ?? undefined,
      },
      onlyFor(intake),
    );
    call.trail.acted({ target: answer.runId });
    call.reply.code(202);
    return { jobId: answer.runId };
  });
}
