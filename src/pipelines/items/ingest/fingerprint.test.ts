import { expect, it } from 'vitest';
import { fingerprintOf } from './fingerprint.ts';

const of = (text: string) => fingerprintOf(Buffer.from(text), 0, Buffer.byteLength(text));

it('rows that differ in one character, or in the order of two, differ in their fingerprints; equal ones have equal ones', () => {
  const rows = Array.from({ length: 200_000 }, (_, row) => `{"n":"${row}","field":"value ${row % 7} of 1"}`);
  const all = new Set(rows.map(of));
  expect(all.size).toBe(rows.length);
  expect(of('{"a":"12"}')).not.toBe(of('{"a":"21"}'));
  // Wherever it stands, also behind the last four.
  for (const text of ['{"a":"1234567"}', '{"a":"12345678"}', '{"a":"123456789"}', '{"a":"1234567890"}']) {
    const changed = Array.from(text, (_, at) => `${text.slice(0, at)}~${text.slice(at + 1)}`);
    expect(new Set([text, ...changed].map(of)).size).toBe(text.length + 1);
  }
  expect(of('{"a":"12"}')).toBe(of('{"a":"12"}'));
  const odd = [...all].filter((each) => !Number.isSafeInteger(each) || each < 0 || each >= 2 ** 48);
  expect(odd).toEqual([]);
});
