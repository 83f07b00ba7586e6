// JSON whose integers keep every digit. Airbyte's job ids are int64; JSON.parse rounds them beyond 2^53.

// Strings are matched first, so that digits inside them are left alone.
const stringOrLongInteger = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g;

/** Like JSON.parse, except that integers of 16 digits and more arrive as text. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text.replace(stringOrLongInteger, (match) => (match.startsWith('"') ? match : `"${match}"`)));
}
