// What a user should look at before trusting a reading.
import type { Reading, ReadingWarning } from './reading.ts';

export function readingWarnings(reading: Reading): ReadingWarning[] {
  return [
    ...encodingWarnings(reading),
    ...numberWarnings(reading),
    ...dateWarnings(reading),
    ...idWarnings(reading),
    ...nameWarnings(reading),
  ];
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
