import type { Queryable } from '../../../platform/database.ts';
import type { ReadingOverrides } from '../../reading.ts';
import type { Mapping } from '../mapping.ts';

export interface NewMappingVersion {
  readonly tenantId: string;
  readonly pipeline: string;
  readonly fingerprint: string;
  readonly name: string;
  readonly mapping: Mapping;
  readonly reading: ReadingOverrides;
  readonly createdBy: string | null;
  /** The version the user was looking at (0 for none); somebody else's newer one makes this save fail. */
  readonly basedOn: number;
}

/** Adds the next version and returns its number, or null when `basedOn` is no longer the latest. */
export async function insertMappingVersion(db: Queryable, version: NewMappingVersion): Promise<number | null> {
  // Two savers may both see the same latest version; the unique key lets one of them through.
  const { rows } = await db.query<{ version: number }>({
    name: 'tabular-insert-mapping-version',
    text: `
      insert into tabular.mappings (tenant_id, pipeline, fingerprint, version, name, mapping, reading, created_by)
      select $1, $2, $3, $8::integer + 1, $4, $5, $6, $7
      where coalesce(
        (select max(version) from tabular.mappings where tenant_id = $1 and pipeline = $2 and fingerprint = $3), 0
      ) = $8::integer
      on conflict (tenant_id, pipeline, fingerprint, version) do nothing
      returning version`,
    values: [
      version.tenantId,
      version.pipeline,
      version.fingerprint,
      version.name,
      JSON.stringify(version.mapping),
      JSON.stringify(version.reading),
      version.createdBy,
      version.basedOn,
    ],
  });
  return rows[0]?.version ?? null;
}
