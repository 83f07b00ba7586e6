import { describe, expect, it } from 'vitest';
import { isSecretOf, makeApiKey, parseApiKey } from './api-key-text.ts';

const tenantId = '0190a7a0-0000-7000-8000-000000000002';
const keyId = '0190a7a0-0000-7000-8000-0000000000ff';

describe('the text of an API key', () => {
  it('names tenant and key, and proves itself against the stored hash', () => {
    const { text, secretHash } = makeApiKey(tenantId, keyId);
    const parsed = parseApiKey(text);
    expect(parsed).toMatchObject({ tenantId, keyId });
    expect(isSecretOf(parsed?.secret ?? Buffer.alloc(32), secretHash)).toBe(true);
    expect(isSecretOf(Buffer.alloc(32), secretHash)).toBe(false);
  });

  it('does not hold its hash, and two keys never share a secret', () => {
    const one = makeApiKey(tenantId, keyId);
    const two = makeApiKey(tenantId, keyId);
    expect(one.text).not.toBe(two.text);
    expect(one.text).not.toContain(one.secretHash.toString('base64url'));
  });

  it('anything of another shape is no key', () => {
    const { text } = makeApiKey(tenantId, keyId);
    for (const other of ['', 'mrk_', text.slice(1), `${text}x`, text.replace('.', '_'), text.replace('mrk_', 'mrk-')])
      expect(parseApiKey(other)).toBeUndefined();
  });
});
