import { describe, expect, it } from 'vitest';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { compareKeys, type ListedPart, type PlacedObject } from './place.ts';
import { type Entry, walkDirectories } from './walk-directories.ts';

const file = (name: string): Entry => ({
  name,
  isDirectory: false,
  isFile: true,
  bytes: 1,
  modifiedAt: null,
  mark: `of ${name.slice(0, 20)}`,
});
const folder = (name: string): Entry => ({ ...file(name), isDirectory: true, isFile: false });

/** What is listed of a tree, and which directories were asked for. */
async function walked(tree: Record<string, readonly Entry[] | Error>, part: Partial<ListedPart> = {}) {
  const asked: string[] = [];
  const found: PlacedObject[] = [];
  const entries = async (directory: string) => {
    asked.push(directory);
    const listed = tree[directory] ?? [];
    if (listed instanceof Error) throw listed;
    return listed;
  };
  const { signal } = new AbortController();
  for await (const page of walkDirectories({ prefix: '', after: null, ...part, entries, signal })) found.push(...page);
  return { asked, found, keys: found.map(({ key }) => key) };
}

const faults = (found: readonly PlacedObject[]) =>
  found.filter(({ fault }) => fault?.code === 'source_object_name_unusable').map(({ key }) => key);

it('a server that names what is no name is asked for none of it: it is listed as unusable, and what points upwards is nothing', async () => {
  const names = ['/etc/passwd', 'in/side.txt', 'a\0b.txt', 'plain.txt', '../above.txt', '..', '.', ''];
  const { found, keys, asked } = await walked({ '': [...names.map(file), ...['../up', '..', '.'].map(folder)] });
  expect(keys).toEqual(['a\uFFFDb.txt', 'in\uFFFDside.txt', 'plain.txt', '\uFFFDetc\uFFFDpasswd']);
  expect(faults(found)).toEqual(keys.filter((key) => key !== 'plain.txt'));
  expect(asked).toEqual(['']);
});

it('names that look the same once what is no text is replaced are listed each, in order, and gone on behind', async () => {
  const tree = { '': ['\uFFFD.txt', 'b.txt', '\uFFFD.txt', '\uFFFD.txt', '\uFFFD (2).txt'].map(file) };
  const { keys, found } = await walked(tree);
  expect(new Set(keys).size).toBe(5);
  expect(keys).toEqual(keys.toSorted(compareKeys));
  expect(faults(found)).toHaveLength(4);
  for (const [index, after] of keys.entries())
    expect((await walked(tree, { after })).keys, after).toEqual(keys.slice(index + 1));
});

it('a directory that cannot be asked for by its name is listed instead of what lies in it, and not entered', async () => {
  const { found, asked } = await walked({ '': [folder('d\uFFFD'), folder('e')], 'e/': [file('f.txt')] });
  expect(found).toMatchObject(
    [
      { key: 'd\uFFFD', isDirectory: true, fault: { code: 'source_object_name_unusable' } },
      { key: 'e/f.txt' },
    ].toSorted((a, b) => compareKeys(a.key, b.key)),
  );
  expect(asked).toEqual(['', 'e/']);
});

it('paths that are too long for the database are listed cut, each as one of its own, and directories of such are not entered', async () => {
  const long = 'x'.repeat(3_000);
  const deep = `${'d'.repeat(1_698)}/`;
  const { found, keys, asked } = await walked({
    '': [file(`${long}1.txt`), file(`${long}2.txt`), folder(`${long}3`), folder(deep.slice(0, -1)), file('z.txt')],
    [deep]: [file(`${'y'.repeat(250)}.txt`), folder('more'), file('w'.repeat(400))],
  });
  expect(keys).toEqual(keys.toSorted(compareKeys));
  expect(new Set(keys).size).toBe(7);
  expect(Math.max(...keys.map((key) => Buffer.byteLength(key)))).toBeLessThanOrEqual(2_000);
  expect(keys).toContain('z.txt');
  expect(keys).toContain(`${deep}${'y'.repeat(250)}.txt`);
  expect(faults(found)).toHaveLength(5);
  expect(keys.filter((key) => key.endsWith('.txt'))).toHaveLength(4);
  expect(asked).toEqual(['', deep]);
});

describe('a directory that may not be listed', () => {
  const denied = new MillraceError('source_denied', { reason: 'permission denied' });
  const tree = {
    '': [file('a.txt'), folder('in'), folder('shut'), file('z.txt')],
    'in/': [file('b.txt'), folder('deep')],
    'in/deep/': denied,
    'shut/': denied,
  };

  it('stands for itself, and everything else is listed', async () => {
    const { keys, found } = await walked(tree);
    expect(keys).toEqual(['a.txt', 'in/b.txt', 'in/deep/', 'shut/', 'z.txt']);
    expect(found.filter(({ fault }) => fault?.code === 'source_directory_shut')).toMatchObject([
      { key: 'in/deep/', isDirectory: true, fault: { params: { name: 'in/deep/' } } },
      { key: 'shut/', isDirectory: true },
    ]);
  });

  it('is told once, wherever a listing goes on; behind one of its files it ends the listing, because it would stand before that', async () => {
    expect((await walked(tree, { after: 'in/b.txt' })).keys).toEqual(['in/deep/', 'shut/', 'z.txt']);
    expect((await walked(tree, { after: 'in/deep/' })).keys).toEqual(['shut/', 'z.txt']);
    expect((await walked(tree, { after: 'shut/' })).keys).toEqual(['z.txt']);
    await expect(walked(tree, { after: 'shut/c.txt' })).rejects.toMatchObject({ code: 'source_directory_shut' });
  });

  it('ends the listing, by name, if the prefix lies in it, and is not asked for if nothing below it is wanted', async () => {
    for (const prefix of ['in/deep/', 'in/deep/c'])
      await expect(walked(tree, { prefix })).rejects.toMatchObject({
        code: 'source_denied',
        message: expect.stringContaining('in/deep/'),
      });
    await expect(walked({ '': denied })).rejects.toMatchObject({ code: 'source_denied' });
    const { keys, asked } = await walked(tree, { reaches: (directory) => directory === 'in/' });
    expect([keys, asked]).toEqual([
      ['a.txt', 'in/b.txt', 'z.txt'],
      ['', 'in/'],
    ]);
  });
});

it('a directory that cannot be asked for by its name is not told of if nothing below it is wanted', async () => {
  const tree = { '': [folder('d\uFFFD'), file('e.txt')] };
  const { keys } = await walked(tree, { reaches: (directory) => directory !== 'd\uFFFD/' });
  expect(keys).toEqual(['e.txt']);
});
