// Catalogues: uploaded as files, versioned, listed, deleted.
import type { AnswerOf } from '../../../contract/api/client.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { CatalogFields } from '../../../contract/pipelines/items/api.ts';
import { type Handlers, handle } from '../../../http/call.ts';
import { change, look } from '../../../http/routes/change.ts';
import { receiveUpload } from '../../../http/uploads/receive-upload.ts';
import type { UploadLimits } from '../../../http/uploads/upload-limits.ts';
import { withTenant } from '../../../platform/database.ts';
import { parseFields } from '../../../sources/intake.ts';
import { blobSource } from '../../../tabular/blob-source.ts';
import { sniffTableFile } from '../../../tabular/content/table-file.ts';
import { requireEnabled } from '../accept-job.ts';
import type { ItemsDeps } from '../deps.ts';
import { againIfTaken, loadCatalog } from '../load-catalog.ts';
import { type CatalogRow, deleteCatalog, deleteCatalogRows, listCatalogs } from '../sql/catalogs.ts';

export function catalogHandlers(deps: ItemsDeps, limits: UploadLimits): Handlers {
  return {
    ...handle('catalogs.create', async (call) => {
      requireEnabled(deps);
      const { tenantId, actor } = call.principal;
      const { fields, file } = await receiveUpload(
        call.request.raw,
        { store: deps.store, tenantId, sniff: sniffTableFile },
        limits,
      );
      try {
        const asked = parseFields(CatalogFields, Object.fromEntries(fields));
        const name = nameOf(asked.name, file.originalName);
        const source = blobSource(deps.store, { store_key: file.storeKey, bytes: file.bytes });
        const order = { tenantId, name, fileName: file.originalName, by: actor, source };
        const made = await againIfTaken(() =>
          withTenant(call.app.pool, { tenantId, role: 'items_worker' }, (tx) => loadCatalog(tx, order)),
        );
        call.trail.acted({ target: made.catalog_id, data: { version: made.version, rows: made.row_count } });
        call.reply.code(201);
        return viewCatalog(made);
      } finally {
        // Its rows are what is kept.
        await deps.store.delete(file.storeKey).catch(() => undefined);
      }
    }),

    ...handle('catalogs.list', async (call) => {
      requireEnabled(deps);
      return { data: (await look(call, listCatalogs)).map(viewCatalog) };
    }),

    ...handle('catalogs.remove', async (call) => {
      requireEnabled(deps);
      const { catalog_id: catalogId } = call.params;
      await change(
        call,
        async (db, tenantId) => {
          if (!(await deleteCatalog(db, tenantId, catalogId)))
            throw new MillraceError('catalog_not_found', { catalog: catalogId });
          await deleteCatalogRows(db, catalogId);
        },
        () => ({ target: catalogId }),
      );
      return undefined;
    }),
  };
}

function nameOf(given: string | undefined, fileName: string): string {
  const name = (given ?? fileName.replace(/\.[a-z0-9]{1,5}$/i, '')).replace(/\s+/g, ' ').trim().slice(0, 100);
  if (name === '') throw new MillraceError('upload_fields_invalid', { faults: 'name: has no visible character' });
  return name;
}

function viewCatalog(row: CatalogRow): AnswerOf<'catalogs.list'>['data'][number] {
  const { catalog_id, name, version, file_name, columns, created_at } = row;
  return {
    catalog_id,
    name,
    version,
    file_name,
    columns,
    rows: row.row_count,
    skipped_rows: row.skipped_rows,
    created_at: created_at.toISOString(),
  };
}
