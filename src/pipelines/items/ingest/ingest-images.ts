// The first stage of a job of images: each image of its archive becomes an item. Nothing is unpacked yet.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { StageContext } from '../../../engine/stage-context.ts';
import { storableJson } from '../../../platform/storable-text.ts';
import type { ByteSource } from '../../../tabular/byte-source.ts';
import { listImages, MAX_IMAGES } from '../images/image-archive.ts';
import type { ItemsInput } from '../input.ts';
import { insertItems } from '../sql/insert-items.ts';
import { type IngestRow, storeColumns, storeIngest } from '../sql/jobs.ts';
import { holdJob } from './hold-job.ts';
import { freshIngest } from './ingest-state.ts';

const imageColumns = ['File', 'Bytes'] as const;
const MAX_NAME = 500;

export async function storeImages(
  context: StageContext<ItemsInput>,
  source: ByteSource,
  job: IngestRow,
  perInsert: number,
): Promise<void> {
  const { run, input } = context;
  const images = await listImages(source, input.filename);
  if (images.length > MAX_IMAGES)
    throw new MillraceError('archive_damaged', { reason: `it has over ${MAX_IMAGES} images` });
  // The bytes of an archive are no cells: nothing is said of its content.
  let state = job.ingest ?? { ...freshIngest, content: undefined };
  await context.commit((tx) => storeColumns(tx, input.job_id, imageColumns));
  const target = {
    jobId: input.job_id,
    tenantId: run.tenantId,
    runId: run.id,
    userId: job.user_id,
    jobType: job.job_type,
  };
  while (!state.isRead) {
    context.signal.throwIfAborted();
    const some = images.slice(state.read, state.read + perInsert);
    const rows = some.map(({ name, packedBytes }, at) => ({
      i: state.read + at,
      l: state.read + at + 1,
      c: storableJson({ File: name.slice(0, MAX_NAME), Bytes: String(packedBytes) }),
      n: storableJson({ title: name.slice(0, MAX_NAME) }),
      f: null,
    }));
    const read = state.read + some.length;
    const next = { ...state, read, isRead: read >= images.length };
    await context.commit(async (tx) => {
      const at = await holdJob(tx, input.job_id);
      await storeIngest(tx, input.job_id, next, await insertItems(tx, target, { at, rows }));
    });
    state = next;
    context.progress({ done: read, total: images.length, unit: 'items' });
  }
}
