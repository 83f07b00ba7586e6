// Translates the overrides of the API into those of the reader.
import type { z } from 'zod';
import type { ReadingOverrides as Given } from '../contract/api/reading.ts';
import type { ReadingOverrides } from './reading.ts';

/** Null takes an override back; what is not named stays as it was. */
export function overridesFrom(given: z.infer<typeof Given>, before: ReadingOverrides): ReadingOverrides {
  const after: Record<string, unknown> = { ...before };
  const set = (name: keyof ReadingOverrides, value: unknown) => {
    if (value === null) delete after[name];
    else if (value !== undefined) after[name] = value;
  };
  set('encoding', given.encoding);
  set('delimiter', given.delimiter);
  set('quote', given.quote);
  // No quote at all cannot be said by null, which takes back.
  if (given.quote === '') after.quote = null;
  set('escape', given.escape);
  set('headerLines', given.header_line == null ? given.header_line : [given.header_line]);
  set('headerLines', given.header_lines);
  set('sheet', given.sheet);
  set('recordsKey', given.records_key);
  set('decimal', given.decimal);
  const orders = { ...(given.date_order == null ? {} : { '*': given.date_order }), ...given.date_orders };
  if (Object.keys(orders).length > 0) after.dateOrders = orders;
  else if (given.date_order === null || given.date_orders === null) delete after.dateOrders;
  set('emptyMarkers', given.empty_markers);
  set('totalWords', given.total_words);
  set('keptLines', given.put_back);
  return after as ReadingOverrides;
}

/** What holds for every file of the kind: lines put back are lines of one file. */
export function withoutLines({ keptLines: _, ...rest }: ReadingOverrides): ReadingOverrides {
  return rest;
}
