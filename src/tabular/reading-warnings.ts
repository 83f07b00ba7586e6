// Warnings that a user should check before trusting a reading.
import type { ColumnFit } from './layout/fit-columns.ts';
import type { Reading, ReadingWarning } from './reading.ts';

export function readingWarnings(reading: Reading, fit?: ColumnFit): ReadingWarning[] {
  return [
    ...(fit === undefined ? [] : widthWarnings(reading, fit)),
    ...encodingWarnings(reading),
    ...numberWarnings(reading),
    ...dateWarnings(reading),
    ...idWarnings(reading),
    ...nameWarnings(reading),
  ];
}

function widthWarnings({ shortRows, format }: Reading, fit: ColumnFit): ReadingWarning[] {
  const warnings: ReadingWarning[] = [];
  if (fit.unnamed > 0) {
    const columns = fit.unnamed === 1 ? 'a column' : `${fit.unnamed} columns`;
    const message = `The rows have ${columns} more than the header; added without a name.`;
    warnings.push({ code: 'unnamed_columns', message });
  }
  if (fit.paddedRows > 0 && shortRows === 'pad' && format === 'csv') {
    const message = `${fit.paddedRows} of the sampled rows are shorter than the header; their last cells are read as empty.`;
    warnings.push({ code: 'rows_padded', message });
  }
  return warnings;
}

function encodingWarnings({ encoding }: Reading): ReadingWarning[] {
  if (encoding.confidence !== 'guess') return [];
  return [
    {
      code: 'encoding_guessed',
      message: `The encoding was guessed as ${encoding.value.name}; check names with accents.`,
    },
  ];
}

function numberWarnings({ numbers }: Reading): ReadingWarning[] {
  if (numbers.confidence !== 'guess') return [];
  return [{ code: 'number_style_ambiguous', message: `The decimal sign was guessed: ${numbers.reason}.` }];
}

function dateWarnings({ columns }: Reading): ReadingWarning[] {
  return columns.flatMap(({ name, dateOrder }) =>
    dateOrder?.isAmbiguous
      ? [
          {
            code: 'date_order_ambiguous' as const,
            column: name,
            message: `The order of day and month is not proven: ${dateOrder.reason}.`,
          },
        ]
      : [],
  );
}

/** Excel keeps 15 digits of a number; longer ids that went through it are no longer what they were. */
function idWarnings({ format, columns }: Reading): ReadingWarning[] {
  return columns.flatMap(({ name, examples }) =>
    examples.some(
      (example) => /^\d(?:[.,]\d+)?e\+1[5-9]$/i.test(example) || (format === 'xlsx' && /^\d{15}0{3,}$/.test(example)),
    )
      ? [
          {
            code: 'ids_as_numbers' as const,
            column: name,
            message: 'Long ids were stored as numbers and have lost their last digits.',
          },
        ]
      : [],
  );
}

function nameWarnings({ header }: Reading): ReadingWarning[] {
  const names = header.value.names.map((name) => name.trim().toLowerCase());
  const twins = header.value.names.filter((_, index) => names.indexOf(names[index] ?? '') !== index);
  return [...new Set(twins)].map((name) => ({
    code: 'duplicate_column' as const,
    column: name,
    message: `More than one column is named "${name}".`,
  }));
}
