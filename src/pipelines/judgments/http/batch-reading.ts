// Reading and mapping of a batch under its own name: /v1/batches/:batch_id/reading and …/mapping are those of its newest run. The
// mapping is shown in fewer words than there.
import type { AnswerOf } from '../../../contract/api/client.ts';
import type { OperationId } from '../../../contract/api/operations.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { readShownRun } from '../../../engine/reads/read-run.ts';
import type { ShownRun } from '../../../engine/reads/run-columns.ts';
import { type Call, type Handlers, handle } from '../../../http/call.ts';
import { look } from '../../../http/routes/change.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import { findNewestRevision } from '../sql/find-batch.ts';
import { judgmentsReadings } from './readings.ts';

export function batchReadingHandlers({ store }: { readonly store: BlobStore }): Handlers {
  const readings = judgmentsReadings(store);

  /** Another tenant's batch is as good as none. */
  async function find(call: Pick<Call<OperationId>, 'app' | 'principal'>, batch: string): Promise<ShownRun> {
    const run = await look(call, async (db, tenantId) => {
      const newest = await findNewestRevision(db, tenantId, batch);
      return newest && readShownRun(db, tenantId, newest.id);
    });
    if (run === undefined || run.blob_id === null) throw new MillraceError('batch_not_found', { batch });
    return run;
  }

  return {
    ...handle('batches.reading', async (call) => readings.reading(call, await find(call, call.params.batch_id))),
    ...handle('batches.override', async (call) =>
      readings.override(call, await find(call, call.params.batch_id), call.body),
    ),
    ...handle('batches.mapping', async (call) =>
      inShort(await readings.mapping(call, await find(call, call.params.batch_id))),
    ),
    ...handle('batches.map', async (call) =>
      inShort(await readings.map(call, await find(call, call.params.batch_id), call.body)),
    ),
  };
}

function inShort(mapping: AnswerOf<'runs.mapping'>): AnswerOf<'batches.mapping'> {
  const { fingerprint, version, origin, columns, fields } = mapping;
  return {
    fingerprint,
    version,
    origin,
    columns: columns.map(({ index, header, field, reason }) => ({ index, header, field, reason })),
    fields: fields.map(({ name, label, type }) => ({ name, label, type })),
  };
}
