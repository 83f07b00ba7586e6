import type { Queryable } from '../../../platform/database.ts';

/** Which of these keys belong to a blob that is still wanted. */
export async function selectLiveKeys(db: Queryable, keys: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ store_key: string }>({
    name: 'select-live-keys',
    text: `
      select b.store_key from unnest($1::text[]) given (key)
      cross join lateral (select store_key, deleted_at from engine.blobs where store_key = given.key limit 1) b
      where b.deleted_at is null`,
    values: [keys],
  });
  return new Set(rows.map(({ store_key }) => store_key));
}
