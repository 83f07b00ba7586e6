// Values that many resources share: ids, times, decimals, keyset paging.
import { z } from 'zod';

export const Id = z.uuid();

/** ISO 8601 with zone, as the server writes it: 2026-02-15T12:00:00.123Z. */
export const Time = z.iso.datetime({ offset: true }).refine(hasYear, 'There is no year 0');

/** A calendar day, 2026-02-15. */
export const Day = z.iso.date().refine(hasYear, 'There is no year 0');

/** An exact decimal as text, so that no digit is lost in a float. */
export const Decimal = z.string().regex(/^-?\d+(\.\d+)?$/);

/** A 64-bit position as text. */
export const Position = z.string().regex(/^\d+$/);

export const Count = z.int().min(0);

/** Every list takes these two. The cursor is opaque: give back what `next` held. */
export const Page = z.object({
  after: z.string().max(512).optional().describe('Cursor from the previous answer’s "next".'),
  limit: z.coerce.number<number | string>().int().min(1).max(500).default(50),
});

/** A page of a list. `next` is null on the last page. */
export function list<const S extends z.ZodType>(item: S) {
  return z.object({ data: z.array(item), next: z.string().nullable() });
}

/** Several values in one query parameter, separated by commas. */
export const Several = z.string().max(500).describe('One value or several, separated by commas.');

/** The database has none. */
function hasYear(time: string): boolean {
  return !time.startsWith('0000');
}
