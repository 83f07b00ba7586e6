import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findServerAddress, forgetServerAddress, noteServerAddress } from './server-address.ts';

const home = mkdtempSync(path.join(tmpdir(), 'millrace-address-'));
const file = path.join(home, 'server.json');
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('the address of the server', () => {
  it('is found while its process lives, and forgotten by nobody else', () => {
    expect(findServerAddress(home)).toBeUndefined();
    noteServerAddress(home, 'http://127.0.0.1:9123');
    expect(findServerAddress(home)).toBe('http://127.0.0.1:9123');
    writeFileSync(file, JSON.stringify({ url: 'http://127.0.0.1:9124', pid: process.ppid }));
    forgetServerAddress(home);
    expect(findServerAddress(home)).toBe('http://127.0.0.1:9124');
  });

  it('of a server that was killed, or that is no address, is none', () => {
    const { pid } = spawnSync('true');
    writeFileSync(file, JSON.stringify({ url: 'http://127.0.0.1:9125', pid }));
    expect(findServerAddress(home)).toBeUndefined();
    writeFileSync(file, '{');
    expect(findServerAddress(home)).toBeUndefined();
  });
});
