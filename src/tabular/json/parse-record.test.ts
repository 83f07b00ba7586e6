import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../test/support/tables.ts';
import { JsonSyntaxError, parseRecord, RepeatedKeyError } from './parse-record.ts';

/** A random JSON value of a few levels. */
function anyValue(random: () => number, depth = 0): unknown {
  const dice = Math.floor(random() * (depth > 3 ? 5 : 7));
  const text = () =>
    Array.from(
      { length: Math.floor(random() * 8) },
      () => ['a', '"', '\\', '\n', 'é', '😀', '\u2028', '}', ']'][Math.floor(random() * 9)],
    ).join('');
  if (dice === 0) return null;
  if (dice === 1) return random() < 0.5;
  if (dice === 2) return Math.round(random() * 1e6) / 100;
  if (dice === 3) return -Math.floor(random() * 1e9);
  if (dice === 4) return text();
  if (dice === 5) return Array.from({ length: Math.floor(random() * 4) }, () => anyValue(random, depth + 1));
  return Object.fromEntries(
    Array.from({ length: Math.floor(random() * 4) }, (_, i) => [`k${i}`, anyValue(random, depth + 1)]),
  );
}

/** What the record should flatten to, by way of JSON.parse. */
function flatten(value: Record<string, unknown>, prefix = ''): [string, string][] {
  return Object.entries(value).flatMap(([key, member]): [string, string][] => {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    if (typeof member === 'object' && member !== null && !Array.isArray(member))
      return flatten(member as Record<string, unknown>, name);
    if (member === null) return [[name, '']];
    return [[name, typeof member === 'string' ? member : JSON.stringify(member)]];
  });
}

describe('records', () => {
  it.each([1, 2, 3, 4])('agree with JSON.parse on 300 random records of seed %i', (seed) => {
    const random = seededRandom(seed);
    for (let i = 0; i < 300; i++) {
      const record = { a: anyValue(random), b: anyValue(random), c: anyValue(random) };
      expect([...(parseRecord(JSON.stringify(record)) ?? [])]).toEqual(flatten(record));
    }
  });

  it.each([1, 2, 3, 4])('accept and refuse what JSON.parse does, on damaged records of seed %i', (seed) => {
    const random = seededRandom(seed * 77);
    const signs = ['"', '\\', '{', '}', '[', ']', ',', ':', '0', '-', '.', 'e', 'n', ' ', '\n'];
    for (let i = 0; i < 500; i++) {
      const json = JSON.stringify({ a: anyValue(random), b: anyValue(random) });
      const at = Math.floor(random() * json.length);
      const damaged =
        json.slice(0, at) +
        (signs[Math.floor(random() * signs.length)] ?? '') +
        json.slice(at + (random() < 0.5 ? 1 : 0));
      const accepts = (parse: () => unknown) => {
        try {
          parse();
          return true;
        } catch {
          return false;
        }
      };
      expect(
        accepts(() => parseRecord(damaged)),
        damaged,
      ).toBe(accepts(() => JSON.parse(damaged)));
    }
  });

  it('are nothing when the value is no object', () => {
    expect(['1', '"x"', '[]', 'null', 'true'].map(parseRecord)).toEqual([null, null, null, null, null]);
  });

  it('refuses two equal keys: which one is meant cannot be told', () => {
    expect(() => parseRecord('{"a":1,"a":2}')).toThrow(RepeatedKeyError);
  });

  it.each([
    '{"a.b":1,"a":{"b":2}}',
    '{"a":{"b":2},"a.b":1}',
    '{"a":{"b":1},"a":{"c":2}}',
    '{"a":{"b":1},"a":2}',
    '{"a":2,"a":{"b":1}}',
    '{"a":{"b":{"c":1}},"a.b":3}',
    '{"a.b":3,"a":{"b":{"c":1}}}',
    '{"a":{},"a":{"b":1}}',
  ])('refuses two values of one column, however they are written: %s', (json) => {
    expect(() => parseRecord(json)).toThrow(RepeatedKeyError);
  });

  it('names its columns as they can be stored', () => {
    expect([...(parseRecord('{"a\\u0000b":1,"\\ud800c":{"\\u0041":"\\u0000"}}') ?? [])]).toEqual([
      ['a\ufffdb', '1'],
      ['\ufffdc.A', '\u0000'],
    ]);
    expect(() => parseRecord('{"a\\u0000":1,"a\\ufffd":2}')).toThrow(RepeatedKeyError);
  });

  it('takes equal keys of different objects', () => {
    expect([...(parseRecord('{"a":{"b":1},"c":{"b":2},"d":[{"b":3},{"b":4}]}') ?? [])]).toEqual([
      ['a.b', '1'],
      ['c.b', '2'],
      ['d', '[{"b":3},{"b":4}]'],
    ]);
  });

  it('are refused when they are too deep', () => {
    expect(() => parseRecord(`{"a":${'['.repeat(500)}${']'.repeat(500)}}`)).toThrow(JsonSyntaxError);
  });
});
