// A measure that looks present and is not read: a column of numbers whose name speaks of spend, impressions or clicks, while no column is
// mapped to that measure. Stored without it, the numbers would be right and incomplete, and nobody would know.
import { headerName } from '../../tabular/mapping/header-name.ts';
import type { Reading, ReadingDoubt } from '../../tabular/reading.ts';
import { measureWords } from './field-names.ts';
import { adsFields } from './fields.ts';
import { LEFT_OUT } from './mapping-choices.ts';
import type { AppliedMapping } from './reading.ts';

const numeric = new Set(['integer', 'decimal', 'money']);
/** Rates and averages of a measure are not the measure. */
const RATIO =
  /\bper\b|\/|\bavg|average|durchschnitt|moyen|media|medio|média|gemiddeld|cp[amcv]\b|ctr|rate|%|\bpro\b|\bpar\b|\bpor\b|平均|単価|率/iu;

export function measureDoubts(reading: Reading, mapping: AppliedMapping): ReadingDoubt[] {
  return [...unmappedDoubts(reading, mapping), ...twinDoubts(reading, mapping)];
}

/** Two columns of one name whose values differ: which one is the measure was guessed. */
function twinDoubts(reading: Reading, mapping: AppliedMapping): ReadingDoubt[] {
  if (mapping.origin === 'saved') return [];
  const examplesOf = (column: number) =>
    reading.columns.find(({ index }) => index === column)?.examples.join('\u001f') ?? '';
  return mapping.columns.flatMap(({ field, header, column }) => {
    if (field === null || !(field in measureWords)) return [];
    // "Amount spent (USD)" and "Amount spent (EUR)" are one measure told twice.
    const { key } = headerName(header);
    const twin = mapping.columns.find(
      (other) =>
        other.field === null && headerName(other.header).key === key && examplesOf(other.column) !== examplesOf(column),
    );
    return twin === undefined ? [] : [twinDoubt(field, header, twin.header)];
  });
}

function twinDoubt(measure: string, header: string, twin: string): ReadingDoubt {
  const title = adsFields.field(measure)?.title ?? measure;
  return {
    code: 'measure_twice',
    message:
      header === twin
        ? `Two columns are named "${header}" and hold different values; the first one is read as ${title}.`
        : `"${header}" and "${twin}" hold different values; "${header}" is read as ${title}.`,
    evidence: { for: ['it comes first'], against: ['the other one has the same name'] },
    rowsAtStake: 0,
    lines: [],
    holds: true,
    answers: [
      { label: header === twin ? `Read the first one as ${title}` : `Read "${header}" as ${title}`, overrides: {} },
    ],
  };
}

function unmappedDoubts(reading: Reading, mapping: AppliedMapping): ReadingDoubt[] {
  const mapped = new Set([...mapping.columns.map(({ field }) => field), ...Object.keys(mapping.constants)]);
  if (mapped.has('spend_micros')) mapped.add('spend');
  return Object.entries(measureWords).flatMap(([measure, words]) => {
    if (mapped.has(measure)) return [];
    const column = mapping.columns.find(
      ({ field, header, column: index, reason }) =>
        field === null &&
        // Left out by a person: no doubt. Known and not needed beside the measure itself is another thing without it.
        reason !== LEFT_OUT &&
        words.test(header) &&
        !RATIO.test(header) &&
        numeric.has(reading.columns.find((each) => each.index === index)?.kind ?? ''),
    );
    return column === undefined || mapping.origin === 'saved' ? [] : [doubtOf(measure, column.header)];
  });
}

function doubtOf(measure: string, header: string): ReadingDoubt {
  const title = adsFields.field(measure)?.title ?? measure;
  return {
    code: 'measure_unmapped',
    message: `No column is read as ${title}, but "${header}" may be it.`,
    evidence: { for: ['its name is not known'], against: ['its name contains the word', 'it holds numbers'] },
    rowsAtStake: 0,
    lines: [],
    answers: [{ label: `Store the file without ${title}`, overrides: {} }],
  };
}
