// What the sources kit offers to other pipelines: see sources/connected-sources.ts.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { storeFile } from '../../engine/blobs/store-file.ts';
import { withTenant } from '../../platform/database.ts';
import type { ConnectedSources, StartedScan } from '../../sources/connected-sources.ts';
import { openCredential, openPlace } from './open-place.ts';
import { belongsTo } from './scope.ts';
import { requireSource } from './source-view.ts';
import { houseOf, type SourcesDeps } from './sources-deps.ts';
import { listSources, type SourceRow } from './sql/sources.ts';
import { startSync } from './start-sync.ts';
import { uniqueKeyOf } from './take-object.ts';

const APP_ROLE = 'millrace_app';
const PAGE = 500;

export function connectedSources(deps: SourcesDeps): ConnectedSources {
  return {
    async fetch({ tenantId, sourceId, key, sniff, signal, onlyOf }) {
      const { pool, maxBytes } = houseOf(deps);
      const source = await withTenant(pool, { tenantId, role: APP_ROLE }, (tx) =>
        requireSource(tx, tenantId, sourceId),
      );
      if (onlyOf !== undefined && source.created_by !== onlyOf)
        throw new MillraceError('source_not_found', { source: sourceId });
      // What a source leaves out is not to be had by naming it.
      if (!belongsTo(source)(key)) throw new MillraceError('source_object_denied', { name: nameOf(key) });
      const facts = { sourceId, place: source.place, moves: source.after_taken === 'move' };
      const place = await openPlace(deps, facts, openCredential(deps, sourceId, source.credential));
      try {
        const object = await place.look(key, signal);
        if (object === undefined) throw new MillraceError('source_object_gone', { name: nameOf(key) });
        const limit = Math.min(source.max_bytes ?? maxBytes, maxBytes);
        if (object.bytes > limit) throw new MillraceError('file_too_large', { limit });
        const body = place.read(object, signal);
        const file = await storeFile(deps.store, {
          tenantId,
          fileName: nameOf(key),
          body,
          maxBytes: limit,
          sniff,
          signal,
        });
        if (!place.readsExactly && (await place.look(key, signal))?.mark !== object.mark) {
          await deps.store.delete(file.storeKey);
          throw new MillraceError('source_file_changing', { name: nameOf(key) });
        }
        return {
          file,
          at: object.modifiedAt ?? new Date(),
          origin: { uri: place.uriOf(key), kind: source.kind },
          createdBy: source.created_by,
          uniqueKey: uniqueKeyOf(sourceId, object, file.sha256),
        };
      } finally {
        await place.close();
      }
    },
    async scan({ tenantId, pipeline, sourceId, createdBy }) {
      const { engine, pool } = houseOf(deps);
      const wanted = await withTenant(pool, { tenantId, role: APP_ROLE }, async (tx) =>
        sourceId === undefined ? listSources(tx, tenantId, null, PAGE) : [await requireSource(tx, tenantId, sourceId)],
      );
      const started: StartedScan[] = [];
      for (const source of wanted.filter((each) => isAsked(each, pipeline, sourceId))) {
        const { id, created } = await startSync(engine, source, { trigger: 'person', createdBy });
        started.push({ sourceId: source.source_id, name: source.name, runId: id, created });
      }
      return started;
    },
  };
}

/** One that is named and cannot be synced says so; among all, paused ones are left out. */
function isAsked(source: SourceRow, pipeline: string, named: string | undefined): boolean {
  if (named !== undefined && source.pipeline !== pipeline)
    throw new MillraceError('source_settings_invalid', {
      faults: `source: it feeds ${source.pipeline}, not ${pipeline}`,
    });
  if (named !== undefined && source.paused_at !== null) throw new MillraceError('source_paused', { name: source.name });
  return source.pipeline === pipeline && source.paused_at === null;
}

function nameOf(key: string): string {
  return key.split('/').at(-1) ?? key;
}
