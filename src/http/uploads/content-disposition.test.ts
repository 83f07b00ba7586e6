// Names on download: one header line, whatever the name, that old and new programs read as the same harmless name.
import { describe, expect, it } from 'vitest';
import { attachmentHeader } from './content-disposition.ts';

describe('the download header', () => {
  it.each([
    ['report.csv', `attachment; filename="report.csv"; filename*=UTF-8''report.csv`],
    [
      'Übersicht März.csv',
      `attachment; filename="Ubersicht Marz.csv"; filename*=UTF-8''%C3%9Cbersicht%20M%C3%A4rz.csv`,
    ],
    ['日本.csv', `attachment; filename="__.csv"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.csv`],
    ['a"b\\c.csv', `attachment; filename="c.csv"; filename*=UTF-8''c.csv`],
    ['a";evil="x.csv', `attachment; filename="a__evil=_x.csv"; filename*=UTF-8''a%22%3Bevil%3D%22x.csv`],
    ["it's (1)*!.csv", `attachment; filename="it's (1)*!.csv"; filename*=UTF-8''it%27s%20%281%29%2A%21.csv`],
    ['100%41.csv', `attachment; filename="100_41.csv"; filename*=UTF-8''100%2541.csv`],
    [
      'x\r\nset-cookie: a=b.csv',
      `attachment; filename="xset-cookie: a=b.csv"; filename*=UTF-8''xset-cookie%3A%20a%3Db.csv`,
    ],
    ['../../etc/passwd', `attachment; filename="passwd"; filename*=UTF-8''passwd`],
    ['\u202e', `attachment; filename="download"; filename*=UTF-8''download`],
  ])('of %j', (name, header) => {
    expect(attachmentHeader(name)).toBe(header);
  });

  it('is printable ASCII for every character there is', () => {
    for (let code = 0; code < 0x3000; code += 1) {
      expect(attachmentHeader(`a${String.fromCodePoint(code)}b.csv`)).toMatch(/^[\x20-\x7e]+$/);
    }
  });
});
