import { describe, expect, it } from 'vitest';
import { MillraceError } from './millrace-error.ts';
import { storedAdvice } from './stored-advice.ts';

describe('the next step of a stored error', () => {
  it('is the one it was thrown with, also where that names parameters', () => {
    const error = new MillraceError('wrong_platform', { given: 'meta', found: 'google', headers: 'Impr., (Cost)' });
    expect(storedAdvice(error.code, error.message)).toBe('Upload it again with platform=google.');
    expect(error.next).toBe('Upload it again with platform=google.');
  });

  it('may hold braces that are no parameter', () => {
    expect(storedAdvice('json_no_records', null)).toContain('{"data": […]}');
  });

  it('is not told when the sentence is another one, or the code is unknown', () => {
    expect(storedAdvice('wrong_platform', 'something else')).toBeNull();
    expect(storedAdvice('no_such_code', 'anything')).toBeNull();
  });
});
