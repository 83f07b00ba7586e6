import { expect, it } from 'vitest';
import { compareKeys, type PlacedObject } from './place.ts';
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
async function walked(tree: Record<string, readonly Entry[]>, from: { prefix?: string; after?: string } = {}) {
  const asked: string[] = [];
  const found: PlacedObject[] = [];
  const entries = async (directory: string) => {
    asked.push(directory);
    return tree[directory] ?? [];
  };
  const { prefix = '', after = null } = from;
  for await (const page of walkDirectories({ prefix, after, entries, signal: new AbortController().signal }))
    found.push(...page);
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
