// The disk store: the common promises, a full disk, kills between its steps, and what the sweep takes away.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, mkdtemp, open, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeBlobStore, inChunks, newKey, readAll } from '../../../test/support/blob-store-conformance.ts';
import { codeOf } from '../../../test/support/code-of.ts';
import { compiledProgram } from '../../../test/support/programs.ts';
import type { BlobKey } from './blob-key.ts';
import { DiskBlobStore } from './disk-blob-store.ts';

const megabyte = 1024 * 1024;
const cap = { maxBytes: 64 * megabyte };

async function newRoot(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'millrace-blobs-'));
}

async function temporaryFiles(root: string): Promise<string[]> {
  return readdir(join(root, '.incoming')).catch(() => []);
}

describeBlobStore('the disk store', async () => {
  const root = await newRoot();
  return {
    store: new DiskBlobStore({ root }),
    leftovers: async () => (await temporaryFiles(root)).length,
    close: () => rm(root, { recursive: true }),
  };
});

/** A file that takes `room` bytes and then has the given error, first giving a short write as a real disk does. */
function fullAfter(room: number, code: string) {
  return async (path: string): Promise<FileHandle> => {
    const file = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY);
    let left = room;
    const writev = file.writev.bind(file);
    file.writev = (async (chunks: Uint8Array[]) => {
      if (left === 0) throw Object.assign(new Error(code), { code, syscall: 'write' });
      const fits = Buffer.concat(chunks).subarray(0, left);
      left -= fits.byteLength;
      return writev([fits]);
    }) as FileHandle['writev'];
    return file;
  };
}

describe('the disk store in trouble', () => {
  let root: string;
  beforeEach(async () => {
    root = await newRoot();
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it.each([
    ['ENOSPC', 'disk_full'],
    ['EDQUOT', 'disk_full'],
    ['EIO', 'blob_store_unreachable'],
  ])('%s half way is %s, with no partial blob and no temporary file', async (code, ours) => {
    const store = new DiskBlobStore({ root, openNewFile: fullAfter(3 * megabyte + 5, code) });
    const key = newKey();
    expect(await codeOf(store.put(key, inChunks(randomBytes(10 * megabyte)), cap))).toBe(ours);
    expect(await store.head(key)).toBeUndefined();
    expect(await temporaryFiles(root)).toEqual([]);
  });

  it('a short write is carried on, not lost', async () => {
    const bytes = randomBytes(2 * megabyte);
    const short = async (path: string) => {
      const file = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY);
      const writev = file.writev.bind(file);
      file.writev = (async (chunks: Uint8Array[]) => {
        return writev([Buffer.concat(chunks).subarray(0, 70_001)]);
      }) as FileHandle['writev'];
      return file;
    };
    const store = new DiskBlobStore({ root, openNewFile: short });
    const key = newKey();
    await store.put(key, inChunks(bytes, 1_000), cap);
    expect((await readAll(await store.get(key))).equals(bytes)).toBe(true);
  });

  it('a really full file system is disk_full, and the store recovers by itself once there is room', async () => {
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', root]).status === 0;
    try {
      const store = new DiskBlobStore({ root, ...(mounted ? {} : { openNewFile: fullAfter(6 * megabyte, 'ENOSPC') }) });
      for (let round = 0; round < 5; round += 1) {
        const key = newKey();
        expect(await codeOf(store.put(key, inChunks(randomBytes(9 * megabyte)), cap))).toBe('disk_full');
        expect(await store.head(key)).toBeUndefined();
        expect(await temporaryFiles(root)).toEqual([]);
        const small = newKey();
        await store.put(small, inChunks(randomBytes(megabyte)), cap);
        await store.delete(small);
      }
    } finally {
      if (mounted) spawnSync('umount', [root]);
    }
  });

  it('a root that is a file is refused with a code, by check and by put', async () => {
    const file = join(root, 'not-a-folder');
    await writeFile(file, '');
    const store = new DiskBlobStore({ root: file });
    expect(await codeOf(store.check())).toBe('blob_store_refused');
    expect(await codeOf(store.put(newKey(), inChunks(Buffer.from('x')), cap))).toBe('blob_store_refused');
  });

  it('a symbolic link in place of a blob is not followed', async () => {
    const store = new DiskBlobStore({ root });
    const key = newKey();
    await mkdir(join(root, key.split('/')[0] ?? ''));
    await symlink('/etc/passwd', join(root, key));
    expect(await codeOf(store.get(key))).toBe('blob_store_refused');
    expect(await codeOf(store.put(key, inChunks(Buffer.from('x')), cap))).toBe('blob_exists');
  });

  it('files are readable by their owner only', async () => {
    const store = new DiskBlobStore({ root });
    const key = newKey();
    await store.put(key, inChunks(Buffer.from('secret')), cap);
    expect((await stat(join(root, key))).mode & 0o077).toBe(0);
  });

  it('a temporary file that was swept under a frozen put makes the put fail, not half succeed', async () => {
    const store = new DiskBlobStore({ root });
    const key: BlobKey = newKey();
    const body = (async function* () {
      yield Buffer.from('a,b\n');
      await rm(join(root, '.incoming'), { recursive: true });
      yield Buffer.from('1,2\n');
    })();
    expect(await codeOf(store.put(key, body, cap))).toBe('blob_store_unreachable');
    expect(await store.head(key)).toBeUndefined();
  });
});

describe('the sweep of the disk store', () => {
  it('takes temporary files of dead puts, never those of a live one', async () => {
    const root = await newRoot();
    const store = new DiskBlobStore({ root });
    await store.check();
    const dead = join(root, '.incoming', 'left-by-a-kill.part');
    await writeFile(dead, 'half');
    await utimes(dead, new Date(), new Date(Date.now() - 120_000));
    const key = newKey();
    const body = (async function* () {
      yield Buffer.from('a,b\n');
      expect(await store.removeUnfinished(60_000)).toBe(1);
      yield Buffer.from('1,2\n');
    })();
    await store.put(key, body, cap);
    expect((await readAll(await store.get(key))).toString()).toBe('a,b\n1,2\n');
    expect(await temporaryFiles(root)).toEqual([]);
    await rm(root, { recursive: true });
  });

  it('leaves alone what is not a blob', async () => {
    const root = await newRoot();
    const store = new DiskBlobStore({ root });
    await mkdir(join(root, 'lost+found'));
    await writeFile(join(root, 'README'), 'mine');
    await writeFile(join(root, 'lost+found', 'x.csv'), 'mine');
    for await (const info of store.listStoredBefore(new Date(Date.now() + 60_000))) expect(info).toBeUndefined();
    await rm(root, { recursive: true });
  });
});

describe('a put killed with kill -9', () => {
  const putAndDie = (root: string, key: BlobKey, failpoint: string) => {
    const script = compiledProgram('test/support/put-blob.ts');
    return spawnSync(process.execPath, [script, root, key, failpoint]).signal;
  };

  it.each([
    ['blob.after_write', undefined],
    ['blob.after_rename', 50 * 65_536],
  ])('at %s leaves all of the blob or none, and the sweep takes the rest', async (failpoint, visibleBytes) => {
    const root = await newRoot();
    const store = new DiskBlobStore({ root });
    const key = newKey();
    expect(putAndDie(root, key, failpoint)).toBe('SIGKILL');
    expect((await store.head(key))?.bytes).toBe(visibleBytes);
    expect(await temporaryFiles(root)).toHaveLength(1);
    expect(await store.removeUnfinished(60_000)).toBe(0);
    expect(await store.removeUnfinished(-1_000)).toBe(1);
    expect((await store.head(key))?.bytes).toBe(visibleBytes);
    await rm(root, { recursive: true });
  });
});
