// The one shape of an error answer: an RFC 9457 problem object with our catalogue's code and what to do next.
import { z } from 'zod';

export const Problem = z.object({
  type: z.string().describe('A URI reference that names the kind of problem: /docs/errors#<code>.'),
  title: z.string(),
  status: z.int(),
  detail: z.string().describe('What happened, to which id.'),
  code: z.string().describe('The catalogued code; stable, made for programs.'),
  next: z.string().describe('What to do now.'),
  instance: z.string().describe('The path that was asked for.'),
  correlation_id: z.string().describe('Quote it when reporting a problem; the log carries it.'),
  errors: z
    .array(z.object({ where: z.enum(['params', 'query', 'body', 'headers']), path: z.string(), message: z.string() }))
    .optional()
    .describe('The single faults of a request that was not valid.'),
});
export type Problem = z.infer<typeof Problem>;

export const problemMediaType = 'application/problem+json';
