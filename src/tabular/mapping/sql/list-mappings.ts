import type { Queryable } from '../../../platform/database.ts';
import type { SavedMapping } from '../saved-mapping.ts';

/** The latest version of each of the tenant's mappings, by fingerprint; `after` is the last fingerprint of the page before. */
export async function listMappings(
  db: Queryable,
  page: { readonly pipeline: string; readonly after?: string; readonly limit: number },
): Promise<SavedMapping[]> {
  const { rows } = await db.query<SavedMapping>({
    name: 'tabular-list-mappings',
    text: `
      select distinct on (fingerprint)
        pipeline, fingerprint, version, name, mapping, reading, created_by as "createdBy", created_at as "createdAt"
      from tabular.mappings
      where tenant_id = (select engine.current_tenant()) and pipeline = $1 and fingerprint > $2
      order by fingerprint, version desc
      limit $3`,
    values: [page.pipeline, page.after ?? '', page.limit],
  });
  return rows;
}
