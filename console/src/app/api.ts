// The console's only way to the server: the typed client on the session cookie.
import { type AnswerOf, ApiError, createClient } from '../../../src/contract/api/client.ts';
import type { Problem } from '../../../src/contract/api/problem.ts';

export { ApiError, urlOf } from '../../../src/contract/api/client.ts';

export const call = createClient();

export type Run = AnswerOf<'runs.list'>['data'][number];
export type RunDetail = AnswerOf<'runs.show'>;
export type RunAction = RunDetail['actions'][number];
export type RunEvent = AnswerOf<'runs.events'>['data'][number];
export type Phase = Run['phase'];
export type Pipeline = AnswerOf<'pipelines.list'>['data'][number];
export type Me = AnswerOf<'auth.me'>;

/** A problem to show for whatever was thrown: the server's own words where it gave some. */
export function problemOf(error: unknown): Pick<Problem, 'title' | 'detail' | 'next' | 'code' | 'status'> & {
  correlation_id?: string;
} {
  if (error instanceof ApiError) return error.problem;
  if (error instanceof TypeError)
    return {
      title: 'The server cannot be reached',
      detail: 'Millrace does not answer. It keeps everything that you uploaded.',
      next: 'Check that the server is running; this page tries again by itself.',
      code: 'unreachable',
      status: 0,
    };
  return {
    title: 'This page has an error',
    detail: error instanceof Error ? error.message : 'Something unexpected happened.',
    next: 'Reload the page. If it stays, report it.',
    code: 'console_fault',
    status: 0,
  };
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof ApiError && codes.includes(error.problem.code);
}
