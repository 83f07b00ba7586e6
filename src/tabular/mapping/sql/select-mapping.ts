import type { Queryable } from '../../../platform/database.ts';
import type { SavedMapping } from '../saved-mapping.ts';

/** The latest version for a kind of file, or the one asked for. */
export async function selectMapping(
  db: Queryable,
  key: { readonly pipeline: string; readonly fingerprint: string; readonly version?: number },
): Promise<SavedMapping | null> {
  const { rows } = await db.query<SavedMapping>({
    name: 'tabular-select-mapping',
    text: `
      select pipeline, fingerprint, version, name, mapping, reading, created_by as "createdBy", created_at as "createdAt"
      from tabular.mappings
      where tenant_id = (select engine.current_tenant()) and pipeline = $1 and fingerprint = $2
        and ($3::integer is null or version = $3::integer)
      order by version desc
      limit 1`,
    values: [key.pipeline, key.fingerprint, key.version ?? null],
  });
  return rows[0] ?? null;
}
