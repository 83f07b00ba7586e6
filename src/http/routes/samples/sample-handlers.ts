// GET /v1/samples and POST /v1/samples/:name/run: a sample is uploaded as any file is, through its pipeline's intake.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AnswerOf } from '../../../contract/api/client.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { once, storeFile } from '../../../engine/blobs/store-file.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import { acceptFile, type Intake } from '../../../sources/intake.ts';
import type { AppContext } from '../../app-context.ts';
import { type Call, type Handlers, handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';
import type { Sample } from '../../pipeline-parts.ts';

type SampleView = AnswerOf<'samples.list'>['data'][number];

const MAX_SAMPLE_BYTES = 1024 ** 2;

export function sampleHandlers({ store }: { readonly store: BlobStore }): Handlers {
  return {
    ...handle('samples.list', async ({ app }) => ({
      data: await Promise.all(samplesOf(app).map(({ pipeline, sample }) => viewSample(pipeline, sample))),
    })),
    ...handle('samples.run', async (call) => {
      const { name } = call.params;
      const found = samplesOf(call.app).find(({ sample }) => sample.name === name);
      if (found === undefined) throw new MillraceError('sample_not_found', { sample: name });
      return runSample(call, store, found.intake, found.sample);
    }),
  };
}

/** Of the pipelines that take files. */
function samplesOf({ pipelines = {} }: AppContext): { pipeline: string; intake: Intake; sample: Sample }[] {
  return Object.entries(pipelines).flatMap(([pipeline, { intake, samples = [] }]) =>
    intake === undefined ? [] : samples.map((sample) => ({ pipeline, intake, sample })),
  );
}

async function viewSample(pipeline: string, { name, title, about, file, fields }: Sample): Promise<SampleView> {
  const { size } = await stat(file);
  const platform = (fields.platform ?? null) as SampleView['platform'];
  return { name, title, about, pipeline, platform, filename: nameOf(file), size_bytes: size };
}

/** Where the pipeline takes a file once, the second click leads to the run of the first. */
async function runSample(call: Call<'samples.run'>, store: BlobStore, intake: Intake, sample: Sample) {
  const { principal, app, request } = call;
  const { tenantId } = principal;
  const file = await storeFile(store, {
    tenantId,
    fileName: nameOf(sample.file),
    body: once(await readFile(sample.file)),
    maxBytes: MAX_SAMPLE_BYTES,
    sniff: intake.sniff,
  });
  const createdBy = principal.kind === 'user' ? principal.actorId : undefined;
  const given = { tenantId, fields: sample.fields, file, at: new Date(), createdBy, correlationId: request.id };
  const deps = { store, pool: app.pool, control: engineOf(call).pools.control };
  const { answer, sameBytesAs } = await acceptFile(deps, intake, given);
  const { runId, status, created } = answer;
  call.trail.acted({ target: sample.name, data: { run: runId } });
  return {
    upload_id: runId,
    status,
    ...(created && sameBytesAs !== undefined ? { same_bytes_as: sameBytesAs } : {}),
  };
}

function nameOf(file: URL): string {
  return path.basename(fileURLToPath(file));
}
