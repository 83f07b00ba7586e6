// The multipart reader, alone: any chunking gives the same parts, busboy agrees, and broken bodies have their own codes.
import { randomBytes } from 'node:crypto';
import { Busboy } from '@fastify/busboy';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../../../test/support/code-of.ts';
import { boundary, field, filePart, form } from '../../../test/support/multipart.ts';
import { readParts } from './multipart-reader.ts';
import { boundaryOf } from './part-headers.ts';

const limits = { maxParts: 20, maxHeaderBytes: 2_000 };

interface Read {
  name: string;
  fileName: string | undefined;
  content: string;
}

async function* cut(body: Buffer, sizes: () => number): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.byteLength; ) {
    const size = sizes();
    yield body.subarray(at, at + size);
    at += size;
  }
}

async function read(body: Buffer, sizes: () => number = () => 65_536): Promise<Read[]> {
  const parts: Read[] = [];
  for await (const { name, fileName, body: chunks } of readParts(cut(body, sizes), boundary, limits)) {
    const received: Buffer[] = [];
    for await (const chunk of chunks) received.push(chunk);
    parts.push({ name, fileName, content: Buffer.concat(received).toString('latin1') });
  }
  return parts;
}

function readWithBusboy(body: Buffer): Promise<Read[]> {
  return new Promise((resolve, reject) => {
    const parts: Read[] = [];
    const busboy = new Busboy({ headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } });
    busboy.on('field', (name, value) => {
      parts.push({ name, fileName: undefined, content: Buffer.from(value).toString('latin1') });
    });
    busboy.on('file', (name, stream, fileName) => {
      const part = { name, fileName, content: '' };
      parts.push(part);
      stream.on('data', (chunk: Buffer) => {
        part.content += chunk.toString('latin1');
      });
    });
    busboy.on('finish', () => resolve(parts)).on('error', reject);
    busboy.end(body);
  });
}

/** Seeded: a failing case can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

describe('reading parts', () => {
  const sample = form(field('a', '1'), filePart('x.csv', 'p,q\r\n1,2\r\n'), field('b', 'zwei'));
  const expected = [
    { name: 'a', fileName: undefined, content: '1' },
    { name: 'file', fileName: 'x.csv', content: 'p,q\r\n1,2\r\n' },
    { name: 'b', fileName: undefined, content: 'zwei' },
  ];

  it('gives fields and files in the order sent', async () => {
    expect(await read(sample)).toEqual(expected);
  });

  it('gives the same for every size of chunk, down to single bytes', async () => {
    for (let size = 1; size <= sample.byteLength; size += 1) expect(await read(sample, () => size)).toEqual(expected);
  });

  it('agrees with busboy on 300 random bodies full of almost-boundaries, cut at random', async () => {
    const next = random(20_261_115);
    const pieces = [
      '\r\n',
      '\r',
      '\n',
      '--',
      `\r\n--${boundary.slice(0, -1)}`,
      `--${boundary}`,
      '\r\n-',
      'a,b,c',
      '\r\r\n--',
      'é',
    ];
    for (let round = 0; round < 300; round += 1) {
      const parts = Array.from({ length: 1 + Math.floor(next() * 5) }, (_, index) => {
        const content = Array.from(
          { length: Math.floor(next() * 30) },
          () => pieces[Math.floor(next() * pieces.length)],
        ).join('');
        // A real boundary line inside the content would end the part for any reader.
        const safe = content === '' ? '' : `.${content.replaceAll(`\r\n--${boundary}`, 'x')}`;
        return next() < 0.5 ? field(`f${index}`, safe) : filePart(`n${index}.csv`, safe, `f${index}`);
      });
      const body = form(...parts);
      const ours = await read(body, () => 1 + Math.floor(next() * 40));
      expect(ours.toSorted((x, y) => x.name.localeCompare(y.name))).toEqual(
        (await readWithBusboy(body)).toSorted((x, y) => x.name.localeCompare(y.name)),
      );
    }
  });

  it('takes binary content as it is', async () => {
    const bytes = randomBytes(300_000);
    const [part] = await read(form(filePart('x.bin', bytes)), () => 7_001);
    expect(part?.content).toBe(bytes.toString('latin1'));
  });

  it('skips what nobody read of a part', async () => {
    const names: string[] = [];
    for await (const part of readParts(
      cut(sample, () => 3),
      boundary,
      limits,
    ))
      names.push(part.name);
    expect(names).toEqual(['a', 'file', 'b']);
  });

  it('takes a preamble, an epilogue, and padding after a boundary', async () => {
    const body = Buffer.concat([
      Buffer.from('This is a message in MIME format.\r\n'),
      Buffer.from(field('a', '1').toString().replace(`${boundary}\r\n`, `${boundary} \t\r\n`)),
      Buffer.from(`--${boundary}--\r\nThe end.\r\n`),
    ]);
    expect(await read(body)).toEqual([{ name: 'a', fileName: undefined, content: '1' }]);
  });

  it('takes a part that ends before it has a body', async () => {
    const body = Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n--${boundary}--\r\n`);
    expect(await read(body)).toEqual([{ name: 'a', fileName: undefined, content: '' }]);
    expect(await read(body, () => 1)).toEqual([{ name: 'a', fileName: undefined, content: '' }]);
  });

  it('takes a form without parts', async () => {
    expect(await read(Buffer.from(`--${boundary}--\r\n`))).toEqual([]);
  });
});

describe('names of parts', () => {
  const nameOf = async (disposition: string) => {
    const body = Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\nx\r\n--${boundary}--\r\n`,
    );
    return (await read(body))[0]?.fileName;
  };

  it.each([
    ['name="file"; filename="a b;c.csv"', 'a b;c.csv'],
    ['name="file"; filename="Übersicht – März.csv"', 'Übersicht – März.csv'],
    ['name="file"; filename="say %22hi%22.csv"', 'say "hi".csv'],
    ['name="file"; filename="say \\"hi\\".csv"', 'say "hi".csv'],
    ['name="file"; filename="C:\\Users\\me\\a.csv"', 'C:\\Users\\me\\a.csv'],
    ['name="file"; filename="fallback.csv"; filename*=UTF-8\'\'%C3%BCber.csv', 'über.csv'],
    ['name=file; filename=plain.csv', 'plain.csv'],
    ['NAME="file"; FileName="x.csv"', 'x.csv'],
    ['name="file"; filename=""', ''],
    ['name="file"', undefined],
  ])('%s is %j', async (disposition, expected) => {
    expect(await nameOf(disposition)).toBe(expected);
  });

  it('a name of 2,000 backslashes is read in no time', async () => {
    const before = process.cpuUsage();
    await nameOf(`name="file"; filename="${'\\'.repeat(1_800)}`);
    expect(process.cpuUsage(before).user).toBeLessThan(500_000);
  });
});

describe('broken bodies', () => {
  const whole = form(field('a', '1'), filePart('x.csv', 'p,q\r\n1,2\r\n'));

  it('a body cut anywhere before its last boundary is truncated, never accepted', async () => {
    const lastBoundary = whole.byteLength - 4;
    for (let length = 0; length < lastBoundary; length += 1) {
      expect(await codeOf(read(whole.subarray(0, length))), `cut at ${length}`).toMatch(
        /^upload_(truncated|malformed)$/,
      );
    }
  });

  it.each([
    ['another boundary', Buffer.from('--other\r\n\r\n--other--\r\n'), 'upload_truncated'],
    ['endless text before a boundary', Buffer.alloc(100_000, 'x'), 'upload_malformed'],
    ['endless text after the last boundary', Buffer.concat([whole, Buffer.alloc(100_000, 'x')]), 'upload_malformed'],
    ['a boundary line that goes on', Buffer.from(`--${boundary}xyz\r\n\r\n`), 'upload_malformed'],
    ['headers that never end', Buffer.from(`--${boundary}\r\n${'x: y\r\n'.repeat(1_000)}`), 'upload_malformed'],
    ['a part without headers', Buffer.from(`--${boundary}\r\n\r\nx\r\n--${boundary}--\r\n`), 'upload_malformed'],
    ['a header without a colon', Buffer.from(`--${boundary}\r\nhello\r\n\r\nx\r\n--${boundary}--`), 'upload_malformed'],
    [
      'a part without a name',
      Buffer.from(`--${boundary}\r\ncontent-disposition: form-data\r\n\r\nx`),
      'upload_malformed',
    ],
    [
      'a base64 part',
      Buffer.from(
        `--${boundary}\r\ncontent-disposition: form-data; name=a\r\ncontent-transfer-encoding: base64\r\n\r\neA==`,
      ),
      'upload_malformed',
    ],
    [
      'a name that is not UTF-8',
      Buffer.concat([
        Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="`),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('"\r\n\r\n'),
      ]),
      'upload_malformed',
    ],
  ])('%s is refused with its code', async (_, body, code) => {
    expect(await codeOf(read(body))).toBe(code);
  });

  it('10,000 parts are refused at the limit, without reading on', async () => {
    let given = 0;
    const endless = (async function* () {
      for (; given < 10_000; given += 1) yield field(`f${given}`, 'x');
    })();
    const all = (async () => {
      for await (const part of readParts(endless, boundary, limits)) expect(part.name).toBeTruthy();
    })();
    expect(await codeOf(all)).toBe('upload_too_many_parts');
    expect(given).toBeLessThan(25);
  });
});

describe('the boundary of a content type', () => {
  it.each([
    ['multipart/form-data; boundary=abc', 'abc'],
    ['Multipart/Form-Data; charset=utf-8; Boundary="a b:c"', 'a b:c'],
    ['multipart/form-data', undefined],
    ['multipart/mixed; boundary=abc', undefined],
    ['application/json', undefined],
    [`multipart/form-data; boundary=${'x'.repeat(300)}`, undefined],
    ['multipart/form-data; boundary="a\u0001b"', undefined],
    [undefined, undefined],
  ])('of %j is %j', (type, expected) => {
    expect(boundaryOf(type)).toBe(expected);
  });
});
