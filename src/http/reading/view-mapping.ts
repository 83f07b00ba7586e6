// A mapping in the words of the API, for every pipeline of tables.
import type { z } from 'zod';
import type { Mapping as ApiMapping } from '../../contract/api/reading.ts';
import { type AppliedMapping, mappingIdOf } from '../../tabular/mapping/applied-mapping.ts';
import type { FieldCatalogue } from '../../tabular/mapping/fields.ts';
import type { Reading } from '../../tabular/reading.ts';

export interface MappedBy {
  readonly pipeline: string;
  /** Whose export the file is, where the pipeline tells them apart. */
  readonly platform?: string;
  readonly fields: FieldCatalogue;
  /** Fields without which no row can be stored. */
  readonly requiredFields: readonly string[];
}

export function viewMapping(mapping: AppliedMapping, reading: Reading, by: MappedBy): z.infer<typeof ApiMapping> {
  const byIndex = new Map(reading.columns.map((column) => [column.index, column]));
  return {
    mapping_id: mapping.version === 0 ? null : mappingIdOf(mapping.fingerprint),
    name: mapping.name ?? null,
    version: mapping.version,
    fingerprint: mapping.fingerprint,
    pipeline: by.pipeline,
    platform: by.platform ?? null,
    origin: mapping.origin,
    columns: mapping.columns.map((column) => ({
      index: column.column,
      header: column.header,
      field: column.field,
      confidence: column.confidence ?? (column.offers.length > 0 ? 'guess' : 'none'),
      reason: [column.reason, ...column.offers.map(({ field, reason }) => `could be ${field}: ${reason}`)].join('; '),
      samples: [...(byIndex.get(column.column)?.examples ?? [])],
      fill_rate: byIndex.get(column.column)?.fillRate ?? 0,
    })),
    constants: mapping.constants,
    fields: by.fields.fields.map(({ name, title, kind }) => ({
      name,
      label: title,
      type: kind,
      required: by.requiredFields.includes(name),
    })),
    missing: [...(mapping.missing ?? [])],
  };
}
