// Long arrays as parameters. The driver escapes every element with two regular expressions, which took half the time of a bulk
// enqueue; here an element that needs no quotes is recognised by one test and copied as it is.

// Nothing that an array literal gives a meaning to: no quote, backslash, brace, comma, white space, and not empty.
const plain = /^[\w.:@#/+-]+$/;
const special = /["\\]/g;

type Value = string | number | boolean | null;

/**
 * `{a,"b c",NULL}`: the text form of a Postgres array of one value per row. An array of nothing but nulls is empty: `unnest`
 * fills it up with nulls.
 */
export function arrayLiteral<Row>(rows: readonly Row[], pick: (row: Row) => Value): string {
  let text = '';
  let isEmpty = true;
  // Neighbours are often equal: a tenant, a pipeline, a status.
  let last: Value = null;
  let lastText = 'NULL';
  for (const row of rows) {
    const value = pick(row);
    if (value !== last) {
      last = value;
      lastText = value === null ? 'NULL' : typeof value === 'string' ? element(value) : String(value);
    }
    if (value !== null) isEmpty = false;
    text += text === '' ? `{${lastText}` : `,${lastText}`;
  }
  return isEmpty ? '{}' : `${text}}`;
}

function element(value: string): string {
  // NULL in any case would be read as a null.
  if (plain.test(value) && (value.length !== 4 || value.toUpperCase() !== 'NULL')) return value;
  return `"${value.replace(special, '\\$&')}"`;
}
