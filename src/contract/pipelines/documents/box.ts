// Where a text stands in its document.
import { z } from 'zod';
import { Count } from '../../api/values.ts';

/** On a page, or in a section, which has characters instead of points. */
export const Box = z.object({
  page: Count,
  x: z.number().optional(),
  y: z.number().optional(),
  w: z.number().optional(),
  h: z.number().optional(),
  start: Count.optional(),
  end: Count.optional(),
});
