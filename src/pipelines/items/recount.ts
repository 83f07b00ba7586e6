// The receipt of a job, counted again: the lines from its file, the fates from the record of attempts as it stood when the run ended. What was reprocessed
// since does not matter, and none of the job's own counters is used.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { findBlob } from '../../engine/blobs/blobs.ts';
import type { RunFacts } from '../../engine/pipeline.ts';
import type { Receipt } from '../../engine/receipt.ts';
import type { Queryable } from '../../platform/database.ts';
import { blobSource } from '../../tabular/blob-source.ts';
import { ContentCounter, nothingCounted } from '../../tabular/content-counter.ts';
import { openTable } from '../../tabular/read-table.ts';
import type { ItemsDeps } from './deps.ts';
import { listImages } from './images/image-archive.ts';
import type { ItemsInput } from './input.ts';
import { receiptOfJob } from './process/receipt.ts';
import { rowLimits } from './reading.ts';
import { selectIngest } from './sql/jobs.ts';
import { recountFates } from './sql/recount-fates.ts';

export async function recountJob(run: RunFacts<ItemsInput>, tx: Queryable, { store }: ItemsDeps): Promise<Receipt> {
  const job = await selectIngest(tx, run.input.job_id);
  if (job === undefined) throw new MillraceError('job_not_found', { job: run.input.job_id });
  const fates = await recountFates(tx, run.input.job_id, run.id);
  const file =
    job.job_type === 'image' ? await countImages(run, tx, store) : await countFile(run, tx, job.reading, store);
  return { ...receiptOfJob(fates, file), read: file.read };
}

async function countImages(run: RunFacts<ItemsInput>, tx: Queryable, store: ItemsDeps['store']) {
  const blob = run.blobId === null ? undefined : await findBlob(tx, run.blobId);
  if (blob === undefined || blob.deleted_at !== null) throw new MillraceError('upload_file_gone', { run: run.id });
  const images = await listImages(blobSource(store, blob), run.input.filename);
  return { read: images.length, furniture: 0 };
}

async function countFile(
  run: RunFacts<ItemsInput>,
  tx: Queryable,
  reading: Parameters<typeof openTable>[1] | null,
  store: ItemsDeps['store'],
) {
  const blob = run.blobId === null ? undefined : await findBlob(tx, run.blobId);
  if (reading === null || blob === undefined || blob.deleted_at !== null)
    throw new MillraceError('upload_file_gone', { run: run.id });
  const source = blobSource(store, blob);
  const counter = new ContentCounter(nothingCounted, 0, source.size);
  let [read, furniture] = [0, 0];
  for await (const batch of openTable(source, reading, { limits: rowLimits }).batches()) {
    counter.add(batch);
    for (let row = 0; row < batch.rowCount; row += 1) {
      if (batch.kinds[row] === 0) read += 1;
      else furniture += 1;
    }
  }
  return { read, furniture, content: counter.content };
}
