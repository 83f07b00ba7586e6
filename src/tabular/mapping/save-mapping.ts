// Saves a mapping as the next version for its kind of file. Checked against the pipeline's fields first, so that what is stored
// can always be applied.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Queryable } from '../../platform/database.ts';
import { checkOverrides } from '../reading.ts';
import type { FieldCatalogue } from './fields.ts';
import { checkMapping } from './mapping.ts';
import { insertMappingVersion, type NewMappingVersion } from './sql/insert-mapping-version.ts';

/** Runs in the caller's transaction, as the tenant. */
export async function saveMapping(
  db: Queryable,
  version: NewMappingVersion,
  catalogue: FieldCatalogue,
): Promise<number> {
  checkMapping(version.mapping, catalogue);
  checkOverrides(version.reading);
  const saved = await insertMappingVersion(db, version);
  if (saved === null) throw new MillraceError('mapping_conflict', { version: version.basedOn + 1 });
  return saved;
}
