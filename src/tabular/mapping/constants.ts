// Values that hold for every row of a kind of file, said by a person because the file has no column for them: a currency, a campaign.
// Read like a cell, so that what is stored is what a column with that text would give. Numbers are not taken: they come from the rows.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { parseDate } from '../values/parse-date.ts';
import { parseId, parseText } from '../values/parse-id.ts';
import type { ParsedValue } from '../values/parsed-value.ts';
import type { FieldCatalogue, FieldDefinition } from './fields.ts';

/** In the form in which rows hold them. */
export function readConstants(
  given: Readonly<Record<string, string>>,
  catalogue: FieldCatalogue,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => {
      const field = catalogue.field(name);
      if (field === undefined) return fail(`a constant is given for "${name}", which is not a field`);
      const parsed = read(field, text.trim());
      if (parsed.kind !== 'value') return fail(`"${text}" cannot be the ${field.title} of every row`);
      return [name, parsed.value];
    }),
  );
}

function read(field: FieldDefinition, text: string): ParsedValue {
  switch (field.kind) {
    case 'date':
      return parseDate(text, 'ymd');
    case 'id':
      return parseId(text);
    case 'currency':
      return /^[a-z]{3}$/i.test(text) ? { kind: 'value', value: text.toUpperCase() } : { kind: 'none', warning: null };
    case 'text':
      return parseText(text);
    default:
      return fail(`${field.title} is a number; it has to come from the rows of the file`);
  }
}

function fail(reason: string): never {
  throw new MillraceError('mapping_invalid', { reason });
}
