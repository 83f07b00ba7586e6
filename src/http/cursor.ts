// Opaque cursors: where the next page of a list starts. They hold positions only, never a tenant: whose rows are listed is decided
// by the credential alone.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { isStorableText } from '../platform/storable-text.ts';

// Room for the key of an object, the longest position there is; the other lists refuse longer cursors by their schema.
const MAX_LENGTH = 8_192;
/** Of a bigint. */
const LAST_ID = 2n ** 63n - 1n;

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
  const fits =
    parts?.length === shapes.length && shapes.every((shape, index) => fitsShape(String(parts[index]), shape));
  if (!fits) throw new MillraceError('cursor_malformed');
  return parts.map(String) as { [K in keyof Shapes]: string };
}

export const shapes = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  integer: /^\d{1,19}$/,
  day: /^\d{4}-\d{2}-\d{2}$/,
  moment: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
} as const;

/** A position is compared in the database, which refuses numbers, days and texts that are none, and then it looks like a fault of ours. */
function fitsShape(part: string, shape: RegExp): boolean {
  if (!shape.test(part) || !isStorableText(part)) return false;
  if (shape === shapes.integer) return BigInt(part) <= LAST_ID;
  return (shape !== shapes.day && shape !== shapes.moment) || isDate(part);
}

/** As a list says when it was read. */
export function isMoment(text: string): boolean {
  return fitsShape(text, shapes.moment);
}

/** There is no 30 February, and no year 0 in the database. */
function isDate(text: string): boolean {
  const date = new Date(text);
  const seconds = Math.min(text.length, 19);
  return (
    !Number.isNaN(date.getTime()) && !text.startsWith('0000') && date.toISOString().startsWith(text.slice(0, seconds))
  );
}

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
