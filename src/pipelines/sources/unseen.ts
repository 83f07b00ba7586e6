// Objects that the last sync could not see, because a directory above them may not be listed. They stay what they are; why is said with each.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Queryable } from '../../platform/database.ts';
import { readShut } from './sql/lines.ts';
import type { ObjectRow } from './sql/objects.ts';
import type { SourceRow } from './sql/sources.ts';

type Because = (object: Pick<ObjectRow, 'key' | 'deleted_at'>) => string | null;

export async function unseenBecause(
  db: Queryable,
  source: Pick<SourceRow, 'tenant_id' | 'last_sync_id' | 'last_error_code'>,
  objects: readonly ObjectRow[],
): Promise<Because> {
  if (source.last_error_code !== 'source_directory_shut' || source.last_sync_id === null) return () => null;
  const above = [...new Set(objects.flatMap(({ key }) => directoriesAbove(key)))];
  const shut = await readShut(db, source.tenant_id, source.last_sync_id, above);
  return ({ key, deleted_at: endedAt }) => {
    const name = endedAt === null ? directoriesAbove(key).find((each) => shut.has(each)) : undefined;
    return name === undefined ? null : new MillraceError('source_directory_shut', { name }).message;
  };
}

/** "a/", "a/b/" of "a/b/c". */
function directoriesAbove(key: string): string[] {
  return [...key.matchAll(/\//g)].map(({ index }) => key.slice(0, index + 1));
}
