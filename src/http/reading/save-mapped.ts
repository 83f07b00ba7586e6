// Keeps what a person said of a file's columns for later files of the kind. Without what was said about its reading the next file may show
// another header, so the mapping is saved under both, unless nothing was said.
import type { z } from 'zod';
import type { MappingWrite } from '../../contract/api/reading.ts';
import type { Queryable } from '../../platform/database.ts';
import type { AppliedMapping } from '../../tabular/mapping/applied-mapping.ts';
import type { FieldCatalogue } from '../../tabular/mapping/fields.ts';
import { headerFingerprint } from '../../tabular/mapping/fingerprint.ts';
import { headerName } from '../../tabular/mapping/header-name.ts';
import type { Mapping } from '../../tabular/mapping/mapping.ts';
import { saveMapping } from '../../tabular/mapping/save-mapping.ts';
import type { SavedMapping } from '../../tabular/mapping/saved-mapping.ts';
import { selectMapping } from '../../tabular/mapping/sql/select-mapping.ts';
import type { Reading, ReadingOverrides } from '../../tabular/reading.ts';
import { overridesFrom, withoutLines } from '../../tabular/reading-overrides.ts';

type Given = z.output<typeof MappingWrite>;

export interface MappedFile {
  readonly tenantId: string;
  readonly pipeline: string;
  /** Of the header that the person saw. */
  readonly fingerprint: string;
  /** The file as it is read without what was said about it. */
  readonly plain: Reading;
  /** What was said about its reading. */
  readonly overrides: ReadingOverrides;
  readonly given: Given;
  readonly mapping: Mapping;
  /** For a mapping that nobody has named. */
  readonly name: string;
  readonly savedBy: string | null;
}

/** The field of each column of the header: the one decided, unless the person gives another. */
export function fieldsOf({ columns }: Pick<AppliedMapping, 'columns'>, given: Given): Record<string, string | null> {
  const wanted = new Map(given.columns.map(({ index, field }) => [index, field]));
  const fields: Record<string, string | null> = {};
  for (const { column, header, field } of columns)
    fields[headerName(header).key] ??= wanted.has(column) ? (wanted.get(column) ?? null) : field;
  return fields;
}

/** Runs in the caller's transaction, as the tenant; answers with what holds for the header that the person saw. */
export async function saveMapped(
  db: Queryable,
  file: MappedFile,
  catalogue: FieldCatalogue,
): Promise<SavedMapping | null> {
  const { tenantId, pipeline, fingerprint, plain, overrides, given, mapping, savedBy } = file;
  const known = await selectMapping(db, { pipeline, fingerprint });
  const said = { ...known?.reading, ...withoutLines(overrides) };
  const reading = given.reading === undefined ? said : overridesFrom(given.reading, {});
  const headers = new Set([fingerprint, headerFingerprint(plain.header.value.names)]);
  for (const header of Object.keys(reading).length === 0 ? [fingerprint] : headers) {
    const latest = await selectMapping(db, { pipeline, fingerprint: header });
    const version = {
      ...{ tenantId, pipeline, fingerprint: header, mapping, reading, createdBy: savedBy },
      name: given.name ?? latest?.name ?? file.name,
      basedOn: latest?.version ?? 0,
    };
    await saveMapping(db, version, catalogue);
  }
  return selectMapping(db, { pipeline, fingerprint });
}
