import { expect, it } from 'vitest';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { problemAnswer } from './problem-answer.ts';

const asked = { path: '/v1/connectors', correlationId: 'c-1' };
const missing = new MillraceError('airbyte_not_configured', { missing: 'AIRBYTE_API_TOKEN' });

it('a fault in the configuration is told as itself to an admin, with its next step, and logged', () => {
  const { problem, isFault } = problemAnswer(missing, { ...asked, isAdmin: true });
  expect(problem).toMatchObject({
    status: 503,
    code: 'airbyte_not_configured',
    detail: missing.message,
    next: missing.next,
  });
  expect(isFault).toBe(true);
});

it('others are told that something went wrong, and nothing of the settings', () => {
  const { problem } = problemAnswer(missing, asked);
  expect(problem).toMatchObject({ status: 500, code: 'internal' });
  expect(JSON.stringify(problem)).not.toContain('AIRBYTE');
});

it('a fault of ours stays internal, also for an admin', () => {
  const { problem } = problemAnswer(new Error('boom at host db-7'), { ...asked, isAdmin: true });
  expect(problem.code).toBe('internal');
  expect(JSON.stringify(problem)).not.toContain('db-7');
});
