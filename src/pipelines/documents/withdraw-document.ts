// A document whose object has vanished from its source: not served any more, and a run that ends later cannot revive it. What an admin took away
// before stays the admin's. No row is deleted, and no worker is needed.
import type { Engine } from '../../engine/engine.ts';
import { withTransaction } from '../../platform/database.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { Vanished } from '../../sources/intake.ts';
import { becomeDocumentsApi, becomeEngineAgain, findTombstone } from './sql/accept-document.ts';
import { deactivateDocument, insertTombstone, observe } from './sql/change-documents.ts';
import { findByUri } from './sql/read-documents.ts';
import { lockDocument } from './sql/versions.ts';

export function withdrawDocument(engine: Engine, { tenantId, uri, sourceId, hold }: Vanished): Promise<void> {
  return withTransaction(engine.pools.control, async (tx) => {
    await hold?.(tx);
    await becomeDocumentsApi(tx, tenantId);
    const docId = await findByUri(tx, tenantId, uri);
    if (docId !== undefined && (await findTombstone(tx, tenantId, uri)) === undefined) {
      await lockDocument(tx, docId);
      await deactivateDocument(tx, tenantId, docId);
      await insertTombstone(tx, {
        tombstoneId: uuidv7(),
        tenantId,
        docId,
        sourceUri: uri,
        kind: 'source_deleted',
        sourceSeq: await observe(tx, tenantId, docId),
        by: `source:${sourceId}`,
        reason: 'it vanished from its source',
      });
    }
    await becomeEngineAgain(tx);
  });
}

/** Those that an admin took away and has not brought back. */
export function listTakenAway(engine: Engine, tenantId: string, uris: readonly string[]): Promise<ReadonlySet<string>> {
  return withTransaction(engine.pools.control, async (tx) => {
    await becomeDocumentsApi(tx, tenantId);
    const taken = new Set<string>();
    for (const uri of uris) {
      const tombstone = await findTombstone(tx, tenantId, uri);
      if (tombstone !== undefined && tombstone.kind !== 'source_deleted') taken.add(uri);
    }
    await becomeEngineAgain(tx);
    return taken;
  });
}
