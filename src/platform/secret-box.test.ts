// Credentials at rest.
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createSecretBox, openSecretBox } from './secret-box.ts';

const box = createSecretBox(Buffer.alloc(32, 1));

it('opens what it sealed, and nothing that was altered, moved to another connector or sealed with another key', () => {
  const sealed = box.seal('a', 'secret');
  expect(box.open('a', sealed)).toBe('secret');
  expect(sealed.includes('secret')).toBe(false);
  expect(box.seal('a', 'secret').equals(sealed)).toBe(false);
  expect(box.open('b', sealed)).toBeUndefined();
  expect(createSecretBox(Buffer.alloc(32, 2)).open('a', sealed)).toBeUndefined();
  for (let at = 0; at < sealed.length; at += 1) {
    const altered = Buffer.from(sealed);
    altered[at] = (altered[at] ?? 0) ^ 1;
    expect(box.open('a', altered)).toBeUndefined();
  }
  expect(box.open('a', Buffer.alloc(0))).toBeUndefined();
});

it('keeps a generated key for this user alone, the same for all processes of the installation', async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'millrace-key-'));
  const [one, two] = await Promise.all([openSecretBox({ home }), openSecretBox({ home })]);
  expect(two.open('a', one.seal('a', 'x'))).toBe('x');
  expect(statSync(path.join(home, 'connector-key')).mode & 0o777).toBe(0o600);
  const configured = await openSecretBox({ home, secretKey: 'k'.repeat(32) });
  expect(configured.open('a', one.seal('a', 'x'))).toBeUndefined();
  await rm(home, { recursive: true });
});
