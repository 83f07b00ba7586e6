// A folder whose files become batches. The batch id is made from the folder's name and the file's, so a file that is put there
// twice lands once; the same name with other content is put aside with the reason, and alerted.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { CollectOptions, Delivered, Delivery } from '../../sources/collect.ts';
import { sniffTableFile } from '../../tabular/content/table-file.ts';
import { type AcceptDeps, acceptBatch } from './accept-batch.ts';
import { defaultBatchId } from './batch-id.ts';

/** What the collector of a folder needs to know of this pipeline. */
export function batchDelivery(deps: AcceptDeps): Pick<CollectOptions, 'sniff' | 'deliver'> {
  return { sniff: sniffTableFile, deliver: (delivery) => deliverBatch(deps, delivery) };
}

async function deliverBatch(deps: AcceptDeps, { tenantId, sourceName, file }: Delivery): Promise<Delivered> {
  try {
    const { runId, outcome } = await acceptBatch(deps, { tenantId, file, vendor: sourceName, sourceId: sourceName });
    return { runId, created: outcome === 'accepted' };
  } catch (error) {
    // To a person at a keyboard it is a conflict; a file in a folder is refused for good, or it would be tried for ever.
    if (!(error instanceof MillraceError) || error.kind !== 'conflict') throw error;
    const batch = defaultBatchId(sourceName, file.originalName);
    throw new MillraceError('batch_file_refused', { batch, reason: error.message }, { cause: error });
  }
}
