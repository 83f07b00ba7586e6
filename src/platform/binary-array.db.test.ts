import { describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { BinaryArray, postgresDay } from './binary-array.ts';

const database = useDatabase();

async function read(type: string, array: BinaryArray): Promise<unknown[]> {
  const { rows } = await database.admin.query<{ value: unknown }>(`select unnest($1::${type}[])::text as value`, [
    array.take(),
  ]);
  return rows.map(({ value }) => value);
}

describe('binary arrays', () => {
  it('numbers arrive with every digit and the scale they were written with', async () => {
    const values = [
      '0',
      '0.00',
      '1',
      '-1',
      '10000',
      '12345678901234567890.123456789',
      '0.0001',
      '0.00001',
      '100000000',
      '-0.5',
      '99990000.1',
      '5.10',
    ];
    const array = new BinaryArray('numeric');
    for (const value of values) array.pushNumeric(value);
    expect(await read('numeric', array)).toEqual(values);
  });

  it('thousands of random decimals survive', async () => {
    const array = new BinaryArray('numeric');
    const values = Array.from({ length: 2_000 }, (_, i) => {
      const whole = String((i * 7_919_933) % 10 ** (1 + (i % 12)));
      const fraction = String((i * 104_729) % 10 ** (1 + (i % 7))).padStart(1 + (i % 7), '0');
      return `${i % 3 === 0 ? '-' : ''}${Number(whole)}.${fraction}`;
    });
    for (const value of values) array.pushNumeric(value);
    expect(await read('numeric', array)).toEqual(
      values.map((value) => (/^-0\.0+$/.test(value) ? value.slice(1) : value)),
    );
  });

  it('whole numbers, texts, days, booleans and nulls arrive as they are', async () => {
    const whole = new BinaryArray('int8');
    for (const value of [0, -1, 2 ** 31, -(2 ** 40), Number.MAX_SAFE_INTEGER]) whole.pushInt8(value);
    whole.pushNull();
    expect(await read('int8', whole)).toEqual(['0', '-1', '2147483648', '-1099511627776', '9007199254740991', null]);
    const digits = ['0', '-1', '4503599627370497', '9007199254740989', '9007199254740991', '-9007199254740991'];
    for (const value of digits) whole.pushWhole(value);
    expect(await read('int8', whole)).toEqual(digits);
    const texts = new BinaryArray('text');
    for (const value of ['', 'Zürich 東京 🎬', 'x'.repeat(100_000)]) texts.pushText(value);
    texts.pushNull();
    expect(await read('text', texts)).toEqual(['', 'Zürich 東京 🎬', 'x'.repeat(100_000), null]);
    const days = new BinaryArray('date');
    for (const value of ['1999-12-31', '2000-01-01', '2024-02-29']) days.pushDay(postgresDay(value));
    expect(await read('date', days)).toEqual(['1999-12-31', '2000-01-01', '2024-02-29']);
    const flags = new BinaryArray('bool');
    flags.pushBool(true);
    flags.pushBool(false);
    expect(await read('bool', flags)).toEqual(['true', 'false']);
  });

  it('is empty after it was taken and can be used again', async () => {
    const array = new BinaryArray('int4');
    array.pushNull();
    expect(await read('int4', array)).toEqual([null]);
    expect(array.length).toBe(0);
    array.pushInt4(-7);
    expect(await read('int4', array)).toEqual(['-7']);
  });

  it('what was taken stays as it is while the builder is filled again', async () => {
    const array = new BinaryArray('text');
    const fill = (letter: string) => {
      for (let i = 0; i < 100; i++) array.pushText(letter.repeat(2_000));
    };
    fill('a');
    const first = array.take();
    const before = Buffer.from(first);
    fill('b');
    expect(first.equals(before)).toBe(true);
    const second = array.take();
    expect(second.subarray(20).equals(Buffer.from(before.subarray(20).map((byte) => (byte === 97 ? 98 : byte))))).toBe(
      true,
    );
    fill('c');
    expect(await read('text', array)).toEqual(Array.from({ length: 100 }, () => 'c'.repeat(2_000)));
  });
});
