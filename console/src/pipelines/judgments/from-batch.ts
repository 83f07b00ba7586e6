// The mapping of a batch in the shape of an upload's: what it does not say itself is seen in the first rows of the file.
import type { AnswerOf } from '../../../../src/contract/api/client.ts';

type BatchMapping = AnswerOf<'batches.mapping'>;
type Mapping = AnswerOf<'uploads.mapping'>;
type Sample = AnswerOf<'batches.reading'>['sample'];

const shownSamples = 3;

export function fromBatch(mapping: BatchMapping, sample: Sample): Mapping {
  return {
    mapping_id: null,
    name: null,
    pipeline: 'judgments',
    platform: null,
    missing: [],
    constants: {},
    version: mapping.version,
    fingerprint: mapping.fingerprint,
    origin: mapping.origin,
    fields: mapping.fields.map((field) => ({ ...field, required: false })),
    columns: mapping.columns.map((column) => {
      const values = sample
        .map(({ cells }) => cells[column.index] ?? '')
        .filter((value): value is string => value !== null && value !== '');
      return {
        ...column,
        confidence: column.field === null ? ('none' as const) : ('exact' as const),
        samples: [...new Set(values)].slice(0, shownSamples),
        fill_rate: sample.length === 0 ? 0 : values.length / sample.length,
      };
    }),
  };
}
