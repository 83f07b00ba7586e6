// A document as a source brings it, known by its place: other bytes under the same place are a new version.
import { recordBlob } from '../../src/engine/blobs/blobs.ts';
import { storeFile } from '../../src/engine/blobs/store-file.ts';
import { acceptDocument } from '../../src/pipelines/documents/accept-document.ts';
import { sniffDocument } from '../../src/pipelines/documents/document-file.ts';
import { silentLog } from '../../src/platform/log.ts';
import type { useDocuments } from './documents.ts';

export async function observeAt(
  bench: Pick<ReturnType<typeof useDocuments>, 'admin' | 'engine' | 'deps'>,
  place: string,
  fileName: string,
  bytes: Uint8Array,
  sourceId?: string,
) {
  const { tenantId } = bench.admin;
  const file = await storeFile(bench.deps.store, {
    tenantId,
    fileName,
    body: (async function* () {
      yield Buffer.from(bytes);
    })(),
    maxBytes: 1024 ** 2,
    sniff: sniffDocument,
  });
  await recordBlob(bench.engine.pools.control, file);
  return acceptDocument(
    { engine: bench.engine, log: silentLog },
    {
      tenantId,
      file,
      sourceUri: `s3://bucket/${place}`,
      channel: 's3',
      sourceId,
      by: { name: 'sync', isAdmin: false },
    },
  );
}
