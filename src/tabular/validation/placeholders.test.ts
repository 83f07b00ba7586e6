// No error text that a person reads shows a placeholder, whatever its thrower forgot to give.
import { expect, it } from 'vitest';
import { catalogue, type ErrorCode } from '../../contract/errors/catalogue.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { storedAdvice } from '../../contract/errors/stored-advice.ts';
import { rowIssue } from './row-issue.ts';

const placeholder = /\{\w+\}/;

it.each(Object.keys(catalogue) as ErrorCode[])(
  '%s shows no unfilled placeholder, as an error, of a row, or read back from what was stored',
  (code: ErrorCode) => {
    const error = new MillraceError(code);
    const issue = rowIssue({ line: 1, offset: 0 }, code, null, null);
    const texts = [error.message, error.next, issue.message, storedAdvice(code, null) ?? ''];
    expect(texts.filter((text) => placeholder.test(text))).toEqual([]);
  },
);

it('what was given stands where it belongs, also when it looks like a placeholder', () => {
  const issue = rowIssue({ line: 1, offset: 0 }, 'parse_error', null, null, 'error', { reason: 'a {brace} in it' });
  expect(issue.message).toContain('a {brace} in it');
});
