import { describe, expect, it } from 'vitest';
import { buildZip } from '../../../../test/support/workbooks.ts';
import { bytesSource } from '../../../tabular/byte-source.ts';
import { listImages } from './image-archive.ts';

const list = (names: readonly string[]) =>
  listImages(bytesSource(buildZip(names.map((name) => ({ name, content: 'x' })))), 'shots.zip');

describe('the images of an archive', () => {
  it('are all its files but what systems hide beside them, also those whose path leads upwards', async () => {
    const shown = ['a.jpg', 'shots/b.jpg', '../../etc/c.jpg', './d.jpg', 'x/../e.jpg', 'C:\\f.jpg', 'readme.txt'];
    const hidden = ['shots/', '.DS_Store', 'shots/.hidden.jpg', '__MACOSX/a.jpg', 'x/__MACOSX/a.jpg', '.git/a.jpg'];
    const names = (await list([...shown, ...hidden])).map(({ name }) => name);
    expect(names).toEqual(shown.map((name) => name.replaceAll('\\', '/')));
  });

  it('with a directory that is cut off, lies outside the file or has fewer entries than it says are refused with the reason', async () => {
    const whole = buildZip([{ name: 'a.jpg', content: 'x' }]);
    const more = Buffer.from(whole);
    more.writeUInt16LE(9, more.length - 12);
    const outside = Buffer.from(whole);
    outside.writeUInt32LE(0x7fffffff, outside.length - 6);
    for (const [bytes, why] of [
      [whole.subarray(0, -22), /cut off/],
      [more, /incomplete/],
      [outside, /outside/],
    ] as const)
      await expect(listImages(bytesSource(bytes), 'shots.zip')).rejects.toThrow(why);
  });
});
