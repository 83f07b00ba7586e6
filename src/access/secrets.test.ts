import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSecrets } from './secrets.ts';

let home = '';
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'millrace-secrets-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

describe('the installation’s secrets', () => {
  it('are generated once, kept readable by the owner only, and found again', async () => {
    const first = await loadSecrets({ home });
    const again = await loadSecrets({ home });
    expect(again).toEqual(first);
    expect((await stat(path.join(home, 'secret'))).mode & 0o777).toBe(0o600);
    expect((await readFile(path.join(home, 'secret'))).length).toBeGreaterThanOrEqual(32);
  });

  it('processes that start at the same moment end up with the same secret and leave no draft', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => loadSecrets({ home })));
    expect(new Set(all.map((each) => Buffer.from(each.token).toString('hex'))).size).toBe(1);
    expect(await readdir(home)).toEqual(['secret']);
  });

  it('one purpose’s secret tells nothing of another’s', async () => {
    const { token, attempts, answers } = await loadSecrets({ home });
    expect(new Set([token, attempts, answers].map((each) => Buffer.from(each).toString('hex'))).size).toBe(3);
  });

  it('a configured JWT_SECRET shorter than 32 bytes is refused', async () => {
    await expect(loadSecrets({ home, jwtSecret: 'short' })).rejects.toMatchObject({ code: 'secret_weak' });
    const { token } = await loadSecrets({ home, jwtSecret: 'x'.repeat(32) });
    expect(Buffer.from(token).toString()).toBe('x'.repeat(32));
    expect(await readdir(home)).toEqual([]);
  });
});
