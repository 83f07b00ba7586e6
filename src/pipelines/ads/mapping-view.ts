// A mapping of ads in the words of the API.
import type { z } from 'zod';
import type { Mapping as ApiMapping } from '../../contract/api/reading.ts';
import { mappingIdOf } from '../../tabular/mapping/applied-mapping.ts';
import type { Reading } from '../../tabular/reading.ts';
import { adsFields } from './fields.ts';
import type { AppliedMapping } from './reading.ts';

export function viewMapping(mapping: AppliedMapping, reading: Reading, platform: string): z.infer<typeof ApiMapping> {
  const byIndex = new Map(reading.columns.map((column) => [column.index, column]));
  return {
    mapping_id: mapping.version === 0 ? null : mappingIdOf(mapping.fingerprint),
    name: mapping.name,
    version: mapping.version,
    fingerprint: mapping.fingerprint,
    pipeline: 'ads',
    platform,
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
    fields: adsFields.fields.map(({ name, title, kind }) => ({
      name,
      label: title,
      type: kind,
      required: name === 'metric_date',
    })),
    missing: [...mapping.missing],
  };
}
