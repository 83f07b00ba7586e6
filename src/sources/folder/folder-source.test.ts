// The watched folder: the common promises, and what only folders have: links, pipes, temporary names, rights, full names.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from '../../../test/support/code-of.ts';
import {
  contentOf,
  describeSource,
  discoverAll,
  type SourceHarness,
} from '../../../test/support/source-conformance.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Source, SourceItem } from '../source.ts';
import { FolderSource } from './folder-source.ts';
import { isTemporaryName } from './temporary-names.ts';

class Folder implements SourceHarness {
  readonly path: string;
  nowMs = 0;

  constructor(path: string) {
    this.path = path;
  }

  static async create(): Promise<Folder> {
    return new Folder(await mkdtemp(join(tmpdir(), 'millrace-folder-')));
  }

  open(): Source {
    return new FolderSource({
      name: 'inbox',
      folder: this.path,
      stillMs: 1_000,
      claimLostMs: 60_000,
      now: () => this.nowMs,
    });
  }

  async drop(name: string, content: string, modifiedAt?: Date): Promise<void> {
    await writeFile(join(this.path, name), content);
    if (modifiedAt !== undefined) await utimes(join(this.path, name), modifiedAt, modifiedAt);
  }

  async settle(source: Source): Promise<void> {
    await discoverAll(source, (item) => item.release());
    this.nowMs += 1_000;
  }

  async outliveHolders(): Promise<void> {
    for (const claim of await readdir(join(this.path, 'taking'))) {
      await utimes(join(this.path, 'taking', claim), new Date(), new Date(Date.now() - 61_000));
    }
  }

  async accepted(): Promise<Record<string, string>> {
    const names = await readdir(join(this.path, 'accepted'));
    const contents = await Promise.all(names.map((name) => readFile(join(this.path, 'accepted', name), 'utf8')));
    return Object.fromEntries(names.map((name, index) => [name, contents[index] ?? '']));
  }

  async refused(): Promise<{ name: string; reason: string }[]> {
    const names = (await readdir(join(this.path, 'refused'))).filter((name) => !name.endsWith('.reason.txt'));
    return Promise.all(
      names.map(async (name) => ({
        name,
        reason: await readFile(join(this.path, 'refused', `${name}.reason.txt`), 'utf8'),
      })),
    );
  }

  async close(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

describeSource('the watched folder', () => Folder.create());

describe('the watched folder', () => {
  let folder: Folder;
  let source: Source;
  beforeEach(async () => {
    folder = await Folder.create();
    source = folder.open();
    await source.check();
  });
  afterEach(() => folder.close());

  const accept = (item: SourceItem) => item.accepted('run-1');
  const discover = async (each = accept) => {
    await folder.settle(source);
    return discoverAll(source, each);
  };

  it('leaves links, pipes, folders and hidden files alone', async () => {
    await symlink('/etc/passwd', join(folder.path, 'passwd.csv'));
    await symlink('..', join(folder.path, 'up.csv'));
    spawnSync('mkfifo', [join(folder.path, 'pipe.csv')]);
    await mkdir(join(folder.path, 'folder.csv'));
    await folder.drop('.hidden.csv', 'x');
    await folder.drop('real.csv', 'x');
    expect(await discover()).toEqual(['real.csv']);
    expect((await readdir(folder.path)).toSorted()).toEqual(
      ['.hidden.csv', 'accepted', 'folder.csv', 'passwd.csv', 'pipe.csv', 'refused', 'taking', 'up.csv'].toSorted(),
    );
  });

  it('does not follow a link that was put in place of the file at the last moment', async () => {
    await folder.drop('x.csv', 'a,b');
    await discover(async (item) => {
      const [claim = ''] = await readdir(join(folder.path, 'taking'));
      await rm(join(folder.path, 'taking', claim, 'x.csv'));
      await symlink('/etc/passwd', join(folder.path, 'taking', claim, 'x.csv'));
      expect(await codeOf(contentOf(item))).toBe('source_file_unreadable');
      await item.refused(new MillraceError('source_file_unreadable', { name: item.name, reason: 'a link' }));
    });
    expect(await readdir(join(folder.path, 'accepted'))).toEqual([]);
    expect((await readdir(join(folder.path, 'refused'))).toSorted()).toEqual(['x.csv', 'x.csv.reason.txt']);
  });

  it('waits for a file that was replaced under its name to be still itself', async () => {
    await folder.drop('x.csv', 'old');
    await folder.settle(source);
    await folder.drop('other', 'replaced');
    await rename(join(folder.path, 'other'), join(folder.path, 'x.csv'));
    // The claim is given up, nothing is lost, and the new file is taken in its own time.
    expect(await discoverAll(source, accept)).toEqual([]);
    const contents: string[] = [];
    await discover(async (item) => {
      contents.push(await contentOf(item));
      await accept(item);
    });
    expect(contents).toEqual(['replaced']);
  });

  it('notices a file that is written to while it is read', async () => {
    await folder.drop('x.csv', 'a,b');
    await discover(async (item) => {
      await contentOf(item);
      const [claim] = await readdir(join(folder.path, 'taking'));
      await writeFile(join(folder.path, 'taking', claim ?? '', 'x.csv'), 'a,b,c');
      expect(await item.isUnchanged()).toBe(false);
      await item.release();
    });
  });

  it('takes over after a kill between the two halves of a move, without a second copy', async () => {
    await folder.drop('x.csv', 'a,b');
    await discover(async () => undefined);
    const [claim] = await readdir(join(folder.path, 'taking'));
    await link(join(folder.path, 'taking', claim ?? '', 'x.csv'), join(folder.path, 'accepted', 'x.csv'));
    await folder.outliveHolders();
    expect(await discover()).toEqual(['x.csv']);
    expect(await folder.accepted()).toEqual({ 'x.csv': 'a,b' });
    expect(await readdir(join(folder.path, 'taking'))).toEqual([]);
  });

  it('clears up the empty claims of killed processes, and leaves those of living ones', async () => {
    await mkdir(join(folder.path, 'taking', 'dead'));
    await folder.outliveHolders();
    await mkdir(join(folder.path, 'taking', 'alive'));
    await discover();
    expect(await readdir(join(folder.path, 'taking'))).toEqual(['alive']);
  });

  it('a living holder keeps its claim however long it takes', async () => {
    await folder.drop('slow.csv', 'a,b');
    const patient = new FolderSource({
      name: 'inbox',
      folder: folder.path,
      stillMs: 0,
      claimLostMs: 1_500,
      now: () => folder.nowMs,
    });
    const rival = new FolderSource({
      name: 'inbox',
      folder: folder.path,
      stillMs: 0,
      claimLostMs: 1_500,
      now: () => folder.nowMs,
    });
    const taken: string[] = [];
    await discoverAll(patient, async (item) => {
      const until = performance.now() + 2_500;
      while (performance.now() < until) {
        taken.push(...(await discoverAll(rival, accept)));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await accept(item);
    });
    expect(taken).toEqual([]);
    expect(Object.keys(await folder.accepted())).toEqual(['slow.csv']);
  });

  it('takes names of every kind as they are', async () => {
    const names = [
      'a b.csv',
      "it's.csv",
      'semi;colon.csv',
      'new\nline.csv',
      '$(rm -rf).csv',
      '-rf.csv',
      '日本.csv',
      `${'n'.repeat(251)}.csv`,
    ];
    for (const name of names) await folder.drop(name, 'x');
    expect((await discover()).toSorted()).toEqual(names.toSorted());
    expect(Object.keys(await folder.accepted())).toHaveLength(names.length);
  });

  it('refuses under the longest names, too, with their reasons', async () => {
    await folder.drop(`${'é'.repeat(125)}.csv`, 'x');
    await discover((item) => item.refused(new MillraceError('file_empty', { name: 'x' })));
    expect(await folder.refused()).toHaveLength(1);
  });

  it('a folder that is not there or not writable is told as unusable', async () => {
    const nowhere = new FolderSource({ name: 'inbox', folder: join(folder.path, 'no', 'such'), stillMs: 0 });
    expect(await codeOf(nowhere.check())).toBe('source_unusable');
    await writeFile(join(folder.path, 'file'), '');
    expect(await codeOf(new FolderSource({ name: 'inbox', folder: join(folder.path, 'file') }).check())).toBe(
      'source_unusable',
    );
  });

  it('hints when something is dropped', async () => {
    let hint = () => {};
    const hinted = new Promise<void>((resolve) => {
      hint = resolve;
    });
    const unwatch = source.watch(() => hint());
    await folder.drop('x.csv', 'a');
    await expect(hinted).resolves.toBeUndefined();
    unwatch();
  });

  it('a file this user may not read is refused with the reason', async () => {
    await folder.drop('locked.csv', 'a,b');
    await chmod(join(folder.path, 'locked.csv'), 0);
    const isRoot = process.getuid?.() === 0;
    // Root reads everything, so there the question is asked by a user who may not.
    if (isRoot) {
      await chmod(folder.path, 0o777);
      for (const name of ['accepted', 'refused', 'taking']) await chmod(join(folder.path, name), 0o777);
    }
    const script = `
      import { FolderSource } from ${JSON.stringify(new URL('./folder-source.ts', import.meta.url).href)};
      const source = new FolderSource({ name: 'inbox', folder: ${JSON.stringify(folder.path)}, stillMs: 0 });
      for await (const item of source.discover(new AbortController().signal)) {
        try { for await (const chunk of item.read(new AbortController().signal)); }
        catch (error) { console.log(error.code + ' ' + error.params.reason); await item.refused(error); }
      }`;
    const { spawn } = await import('node:child_process');
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: folder.path, HOME: folder.path },
      ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
    });
    let output = '';
    child.stdout?.on('data', (text) => {
      output += String(text);
    });
    await once(child, 'close');
    expect(output.trim()).toBe('source_file_unreadable EACCES');
    expect((await folder.refused())[0]?.reason).toContain('EACCES');
  });
});

describe('temporary names', () => {
  it.each([
    '.x.csv',
    '~$Book.xlsx',
    'x.csv.part',
    'x.CSV.TMP',
    'x.csv~',
    'x.crdownload',
    'x.filepart',
    'Thumbs.db',
    'desktop.ini',
  ])('%s is one', (name) => {
    expect(isTemporaryName(name)).toBe(true);
  });

  it.each(['x.csv', 'temp.csv', 'part.csv', 'x~1.csv', 'tmp'])('%s is none', (name) => {
    expect(isTemporaryName(name)).toBe(false);
  });
});
