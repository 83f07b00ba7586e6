import { describe, expect, it } from 'vitest';
import { isOwnPath } from './own-path.ts';

describe('where a sign-in may lead', () => {
  it('goes back to a page of this console', () => {
    expect(isOwnPath('/r/0190a7a0?cluster=x')).toBe(true);
  });

  it('never leads to another site, however the address is written', () => {
    for (const path of ['//evil.test', '/\\evil.test', 'https://evil.test', 'javascript:alert(1)', undefined, '/login'])
      expect(isOwnPath(path)).toBe(false);
  });
});
