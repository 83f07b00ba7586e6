import { expect, it } from 'vitest';
import { addressOf } from './source-view.ts';

it.each([
  ['s3', { bucket: 'b' }, 'in/', 's3://b/in/'],
  ['folder', { directory: '/data' }, 'in/', '/data/in/'],
  ['sftp', { host: 'h', port: 22, directory: '.' }, '', 'sftp://h/'],
  ['sftp', { host: 'h', port: 2222, directory: './up/' }, 'in/', 'sftp://h:2222/up/in/'],
  ['ftp', { host: 'h', port: 21, directory: '/pub' }, '', 'ftp://h/pub/'],
  ['ftp', { host: 'h', port: 990, directory: '/' }, 'in/', 'ftp://h:990/in/'],
] as const)(
  'the address of a source (%s, %j, %j) is said in one line, with a port that is not the usual one',
  (kind, place, prefix, said) => {
    expect(addressOf({ kind, place, prefix })).toBe(said);
  },
);
