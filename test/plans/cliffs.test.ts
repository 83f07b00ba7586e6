// The plan tests notice what they are there for: readings that grow too fast, statements without a case or a name, folders without a test.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles } from '../../scripts/source-files.ts';
import { int4Array, int8Array, jsonArray } from '../../src/platform/binary-arrays.ts';
import { tablesIn } from './catalogue.ts';
import { literal, rowsOf } from './measure.ts';
import { findCliffs, type Measured, missingCases } from './plans.ts';
import { listStatements, matches, root, statementsOf } from './statements.ts';

const sizes = [400, 2_000, 10_000];
const plan = { 'Node Type': 'Seq Scan', 'Relation Name': 'runs', 'Actual Rows': 1, 'Actual Loops': 1 };

/** What a statement read at each size under one kind of statistics. */
const readings = (rows: readonly number[], more: Partial<Measured> = {}): Measured[] =>
  rows.map((each, n) => ({
    name: 'a-statement',
    rows: each,
    plan,
    statistics: 'none',
    size: sizes[n] ?? 0,
    mode: 'as in the product',
    nth: 0,
    asker: 'large',
    readsAll: undefined,
    ...more,
  }));

describe('what a statement reads', () => {
  it.each([
    { what: 'stays as it is', rows: [3, 3, 3], cliffs: 0 },
    { what: 'is a small table once and an index later', rows: [400, 2_000, 4], cliffs: 0 },
    { what: 'grows with the table', rows: [400, 2_000, 10_000], cliffs: 1 },
    { what: 'grows with an eighth of the table', rows: [50, 250, 1_250], cliffs: 1 },
    { what: 'grows with its input', rows: [400, 2_000, 10_000], readsAll: 'it counts them', cliffs: 0 },
    {
      what: 'grows with the square of its input',
      rows: [1_600, 40_000, 1_000_000],
      readsAll: 'it counts them',
      cliffs: 1,
    },
  ])('is judged when it $what', ({ rows, readsAll, cliffs }) => {
    expect(findCliffs(readings(rows, { readsAll }), sizes)).toHaveLength(cliffs);
  });

  it('is judged under each kind of statistics by itself, and the worst is told', () => {
    const found = findCliffs(
      [
        ...readings([3, 3, 3]),
        ...readings([3, 3, 9_000], { statistics: 'fresh' }),
        ...readings([3, 3, 700], { statistics: 'taken when almost empty' }),
      ],
      sizes,
    );
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(
      /^a-statement \(case 1, statistics fresh\) reads 9000 rows of 10000 and 3 of 2000:\n\s+Seq Scan on runs/,
    );
  });

  it('counts what every node reads, filters away and joins without result, each time it is run', () => {
    const inner = { ...plan, 'Actual Rows': 2, 'Rows Removed by Filter': 8, 'Actual Loops': 5 };
    expect(rowsOf({ ...plan, 'Rows Removed by Join Filter': 4, Plans: [inner] })).toBe(1 + 4 + 50);
  });
});

describe('a statement', () => {
  const ways = new Map([
    ['engine.runs', ['engine.runs']],
    ['engine.all_runs', ['engine.past_runs', 'engine.runs']],
    ['public.ads', ['public.ads']],
  ]);
  const file = 'src/engine/sql/read-things.ts';
  /** `#{…}` stands for a hole in a template. */
  const of = (text: string) =>
    missingCases(statementsOf(file, text.replace('#{', '$' + '{')), ways, [{ name: 'has-a-case' }], {
      folders: ['src/engine'],
    });

  it.each([
    {
      what: 'over a table that grows',
      text: "await db.query({\n  name: 'new-one',\n  text: `select from engine.runs`,\n});",
    },
    {
      what: 'over a view of one',
      text: "await db.query({\n  name: 'new-one',\n  text: `select from engine.all_runs`,\n});",
    },
    {
      what: 'put together in its file',
      text: "const from = 'from engine.runs';\nawait db.query({ name: 'new-one', text: `select #{from}` });",
    },
    {
      what: 'over a table that is named at run time',
      text: "await db.query({ name: 'new-one', text: `delete from #{table}` });",
    },
  ])('$what needs a case', ({ text }) => {
    expect(of(text)).toHaveLength(1);
    expect(of(text)[0]).toMatch(
      /^src\/engine\/sql\/read-things\.ts:\d+ "new-one" .*Add one line to "cases" of plans\.db\.test\.ts in src\/engine/,
    );
    expect(of(text.replace('new-one', 'has-a-case'))).toEqual([]);
  });

  it('over a table that grows needs a name', () => {
    expect(of('await db.query({\n  text: `select from engine.runs`,\n});')[0]).toContain('has no name');
    expect(of('await db.query(`select from engine.runs`);')[0]).toContain('has no name');
  });

  it('over nothing that grows needs neither', () => {
    expect(of("await db.query({ name: 'new-one', text: `select from engine.states` });")).toEqual([]);
    expect(of('await db.query(`savepoint here`);')).toEqual([]);
  });

  it('is found under each name that it may have', () => {
    const text = "await db.query({\n  name: isNew ? 'add-new' : 'add-any',\n  text: `select from engine.runs`,\n});";
    expect(statementsOf(file, text).map(({ name }) => name)).toEqual(['add-new', 'add-any']);
    expect(matches('list-*', 'list-all')).toBe(true);
    expect(matches('list-*', 'list')).toBe(false);
  });

  it('of a table with the name of an ordinary word is told from the word', () => {
    expect(tablesIn('// numbers of ads\nselect from public.ads', ways)).toEqual(['public.ads']);
    expect(tablesIn("pipeline = 'ads' and (ads, 1)", ways)).toEqual([]);
  });
});

it('values are written as the driver would send them', () => {
  expect(literal(["it's", null, 'a "b"'])).toBe(`'{"it''s",NULL,"a \\"b\\""}'`);
  expect(literal(Buffer.from([1, 255]))).toBe(`'\\x01ff'`);
  expect(literal(undefined)).toBe('null');
  expect(literal(int4Array([7, -1]))).toBe(`'{"7","-1"}'`);
  expect(literal(int8Array([2 ** 47, null]))).toBe(`'{"140737488355328",NULL}'`);
  for (const type of ['json', 'jsonb'] as const)
    expect(literal(jsonArray(type, ['{"a":"\u00e9"}', null]))).toBe(`'{"{\\"a\\":\\"\u00e9\\"}",NULL}'`);
});

it('every folder with statements belongs to a plan test', () => {
  const tested = listFiles(root, ['src'], /^plans\.db\.test\.ts$/).map((file) => path.posix.dirname(file));
  // Those of src/access speak for what has few statements.
  const others = ['src/http', 'src/tabular', 'src/roles', 'src/cli', 'src/sources', 'src/platform'];
  const files = new Set(listStatements(['src']).map(({ file }) => file));
  expect([...files].filter((file) => ![...tested, ...others].some((folder) => file.startsWith(`${folder}/`)))).toEqual(
    [],
  );
  expect(existsSync(path.join(root, 'src/access/plans.db.test.ts'))).toBe(true);
  expect(files.size).toBeGreaterThan(150);
});
