// Systems without an embedded Postgres are told so, and what to do instead.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { prepareBinaries, systemName } from './binaries.ts';

let folder = '';
const arch = process.arch;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'millrace-binaries-'));
});

afterEach(() => {
  vi.restoreAllMocks();
  Object.defineProperty(process, 'arch', { value: arch });
  rmSync(folder, { recursive: true });
});

describe('the programs of the embedded Postgres', () => {
  it('are found and run, with links to their libraries in our own folder', () => {
    const { postgres, initdb, env, version } = prepareBinaries(folder, undefined);
    expect([postgres, initdb].every((program) => existsSync(program))).toBe(true);
    expect(readdirSync(path.join(folder, `lib-${version}`))).not.toEqual([]);
    expect(env.LD_LIBRARY_PATH ?? env.DYLD_LIBRARY_PATH).toContain(folder);
  });

  it('inherit nothing of our environment but what the system needs', () => {
    vi.stubEnv('JWT_SECRET', 'canary');
    vi.stubEnv('PGDATA', 'canary');
    expect(JSON.stringify(prepareBinaries(folder, undefined).env)).not.toContain('canary');
    vi.unstubAllEnvs();
  });

  it('do not exist for a processor nobody built them for', () => {
    Object.defineProperty(process, 'arch', { value: 'mips' });
    expect(() => prepareBinaries(folder, undefined)).toThrow(
      expect.objectContaining({ code: 'embedded_unsupported', message: expect.stringContaining('mips') }),
    );
  });

  it.runIf(process.platform === 'linux')('do not exist for musl', () => {
    vi.spyOn(process.report, 'getReport').mockReturnValue({ header: {} });
    expect(systemName()).toContain('musl');
    expect(() => prepareBinaries(folder, undefined)).toThrow(
      expect.objectContaining({ code: 'embedded_unsupported', next: expect.stringContaining('DATABASE_URL') }),
    );
  });
});
