// Opaque cursors: where the next page of a list starts. They hold positions only, never a tenant: whose rows are listed is decided
// by the credential alone.
import { MillraceError } from '../contract/errors/millrace-error.ts';

// Room for the key of an object, the longest position there is; the other lists refuse longer cursors by their schema.
const MAX_LENGTH = 8_192;

export function writeCursor(...parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** The parts of a cursor, each of the shape expected of it; null without a cursor. */
export function readCursor<const Shapes extends readonly RegExp[]>(
  cursor: string | undefined,
  ...shapes: Shapes
): { [K in keyof Shapes]: string } | null {
  if (cursor === undefined) return null;
  const parts = parse(cursor);
  const fits = parts?.length === shapes.length && shapes.every((shape, index) => shape.test(String(parts[index])));
  if (!fits) throw new MillraceError('cursor_malformed');
  return parts.map(String) as { [K in keyof Shapes]: string };
}

export const shapes = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  integer: /^\d{1,19}$/,
  day: /^\d{4}-\d{2}-\d{2}$/,
} as const;

/** Cuts a page out of rows that were asked for one beyond the limit, and points behind its last row. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => string,
): { data: readonly Row[]; next: string | null } {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { data, next: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}

function parse(cursor: string): unknown[] | undefined {
  if (cursor.length > MAX_LENGTH) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
