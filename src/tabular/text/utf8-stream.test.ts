import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { ragged, seededRandom } from '../../../test/support/tables.ts';
import { bytesSource } from '../byte-source.ts';
import { defaultLimits, withLimits } from '../limits.ts';
import { countUtf8Sequences } from './utf8-sequences.ts';
import { encodingNamed, openUtf8 } from './utf8-stream.ts';
import { wideEncoding } from './wide-text.ts';

async function all(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

const lines = Array.from({ length: 6_000 }, (_, i) => `行 ${i} é ${'x'.repeat(i % 13)}`.slice(0, 4 + (i % 17)));

describe('conversion to UTF-8', () => {
  it.each(['utf-16le', 'utf-16be', 'utf-32le', 'gb18030'])(
    'of %s gives the text whatever the chunks, and every line its original offset',
    async (name) => {
      const text = lines.join('\r\n');
      const bytes = iconv.encode(text, name, { addBOM: false });
      const stream = openUtf8(ragged(bytes, seededRandom(9), 5_000), { name, bomBytes: 0 }, 0, defaultLimits);
      const converted: Buffer[] = [];
      let position = 0;
      const wrong: string[] = [];
      let checked = 0;
      for await (const chunk of stream.chunks) {
        const block = Buffer.from(chunk);
        converted.push(block);
        let at = 0;
        for (const line of block.toString().split('\n').slice(0, -1)) {
          const original = stream.originalOffset(position + at);
          if (!iconv.decode(bytes.subarray(original, original + 100), name).startsWith(line.trimEnd()))
            wrong.push(line);
          at += Buffer.byteLength(line) + 1;
          checked++;
        }
        position += block.length;
      }
      expect(wrong).toEqual([]);
      expect(checked).toBe(lines.length - 1);
      expect(Buffer.concat(converted).toString()).toBe(text);
    },
  );

  it('starts behind the byte order mark, or where it is told to', async () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('a\nb\n', 'utf16le')]);
    const encoding = { name: 'utf-16le', bomBytes: 2 };
    expect((await all(openUtf8(bytesSource(bytes), encoding, 0, defaultLimits).chunks)).toString()).toBe('a\nb\n');
    expect((await all(openUtf8(bytesSource(bytes), encoding, 6, defaultLimits).chunks)).toString()).toBe('b\n');
  });

  it('refuses a text without line breaks before it piles up', async () => {
    const bytes = Buffer.from('x'.repeat(100_000), 'utf16le');
    const limits = withLimits({ maxRowBytes: 1_000 });
    await expect(
      all(openUtf8(bytesSource(bytes, 1_000), { name: 'utf-16le', bomBytes: 0 }, 0, limits).chunks),
    ).rejects.toMatchObject({ code: 'line_too_long' });
  });
});

describe('encodings by name', () => {
  it.each([
    ['UTF-8', 'utf-8'],
    ['utf8', 'utf-8'],
    ['UTF16LE', 'utf-16le'],
    [' Windows-1252 ', 'windows-1252'],
    ['Shift_JIS', 'shift_jis'],
  ])('%j is %s', (name, known) => {
    expect(encodingNamed(name, Buffer.from('a'))).toEqual({ name: known, bomBytes: 0 });
  });

  it('skip the mark that fits them', () => {
    expect(encodingNamed('utf-8', Buffer.from('\uFEFFa')).bomBytes).toBe(3);
    expect(encodingNamed('utf-16be', Buffer.from([0xfe, 0xff])).bomBytes).toBe(2);
    expect(encodingNamed('windows-1252', Buffer.from('\uFEFFa')).bomBytes).toBe(0);
  });

  it('must exist', () => {
    expect(() => encodingNamed('klingon', Buffer.alloc(0))).toThrow(
      expect.objectContaining({ code: 'encoding_unknown' }),
    );
  });
});

describe('looking at bytes', () => {
  it('counts whole and broken characters beyond ASCII', () => {
    expect(countUtf8Sequences(Buffer.from('aé漢😀'))).toEqual({ valid: 3, invalid: 0 });
    expect(countUtf8Sequences(Buffer.from([0xc3, 0x28, 0xe9, 0x61, 0x80]))).toEqual({ valid: 0, invalid: 3 });
    expect(countUtf8Sequences(Buffer.from('漢').subarray(0, 2))).toEqual({ valid: 0, invalid: 1 });
  });

  it('tells UTF-16 by its zero bytes', () => {
    expect(wideEncoding(Buffer.from('a,b\n1,2\n', 'utf16le'))).toBe('utf-16le');
    expect(wideEncoding(Buffer.from('a,b\n1,2\n', 'utf16le').swap16())).toBe('utf-16be');
    expect(wideEncoding(Buffer.from('a,b\n\0'))).toBeNull();
    expect(wideEncoding(Buffer.from('plain'))).toBeNull();
  });

  it.each([
    ['ASCII', 'abc\0def'],
    ['a note of one line', 'Bring the keys\0 on Monday.\n'],
    ['UTF-8', 'Grüße\0 aus Köln'],
    ['Windows-1252', Buffer.from('Gr\xf6\xdfe\0 und Gewicht', 'latin1')],
    ['three on the same side', 'a\0bb\0bb\0bcdefghij'],
  ])('a stray zero byte does not make %s wide', (_, text) => {
    expect(wideEncoding(Buffer.from(text))).toBeNull();
  });

  it.each([
    ['Cyrillic', 'Да'],
    ['Greek', 'η τιμή'],
    ['Chinese with few ASCII characters', '总则 本法 所称的合同\n'],
    ['Kana', 'かな、カナ\r\n'.repeat(9)],
    ['digits', '12'],
  ])('%s in UTF-16 is wide, on either side', (_, text) => {
    const hasZeros = /[\0-\xff]/.test(text);
    expect(wideEncoding(Buffer.from(text, 'utf16le'))).toBe(hasZeros ? 'utf-16le' : null);
    expect(wideEncoding(Buffer.from(text, 'utf16le').swap16())).toBe(hasZeros ? 'utf-16be' : null);
  });
});
