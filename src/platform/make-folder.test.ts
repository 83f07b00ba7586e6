import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeTempHome, removeTempHome } from '../../test/support/temp-home.ts';
import { makeFolder } from './make-folder.ts';

const home = makeTempHome('make-folder');
afterAll(() => removeTempHome(home));

describe('a folder', () => {
  it('is made with all that is missing above it, and left alone when it is there', () => {
    const folder = path.join(home, 'a/b/c');
    makeFolder(folder, 0o700);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    makeFolder(folder, 0o755);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('is refused in place of a file and below one', () => {
    const file = path.join(home, 'file');
    writeFileSync(file, '');
    expect(() => makeFolder(file)).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(() => makeFolder(path.join(file, 'below'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  });

  it.runIf(process.platform === 'linux')('is refused, not tried for ever, where the file system makes none', () => {
    expect(() => makeFolder('/proc/millrace/home')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });
});
