import { expect, it } from 'vitest';
import { wholeLines } from './whole-lines.ts';

const unix = (name: string) => `-rw-r--r-- 1 1 1            7 Nov 18 10:00 ${name}`;

it('a listing without broken names stays as it is, in every format and with both line ends', () => {
  for (const lines of [
    ['total 2', unix('a.txt'), unix('b c.txt')],
    ['drwxr-xr-x+ 1 1 1 7 Nov 18 10:00 acl', 'lrwxrwxrwx 1 1 1 7 Nov 18 10:00 a -> b'],
    ['11-18-26  10:00AM       <DIR>          in', '11-18-2026  10:00AM                 7 a.txt'],
    ['type=file;size=7;modify=20261118100000; a.txt', 'type=cdir;modify=20261118100000; .'],
    [],
  ])
    for (const end of ['\r\n', '\n']) {
      const listing = lines.map((line) => `${line}${end}`).join('');
      expect(wholeLines(listing)).toBe(listing);
    }
});

it('a name with a line break becomes one that nothing can be asked for', () => {
  expect(wholeLines(`${unix('a.txt')}\r\n${unix('two\nlines.txt')}\r\n`)).toBe(
    `${unix('a.txt')}\r\n${unix('two\uFFFDlines.txt')}\r\n`,
  );
});

it('a listing in which it cannot be told is not gone by', () => {
  expect(() => wholeLines(`${unix('a.txt')}\n${unix('two\nlines.txt')}\n`)).toThrow(
    expect.objectContaining({ code: 'source_listing_unusable' }),
  );
  expect(() => wholeLines(`${unix('two\r\nlines.txt')}\r\n`)).toThrow(/is not an entry/);
});
