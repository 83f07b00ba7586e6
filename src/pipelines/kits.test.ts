// What holds for every kit: nothing is declared that nobody reads, its lists agree with the contract's, and it is named nowhere else.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { machines, pipelineAlertEvents, pipelineEvents } from '../contract/pipelines/all.ts';
import { kits } from './all.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8');

const isTest = (name: string) => /\.test\.tsx?$/.test(name);
const isOwn = (pipeline: string, file: string) =>
  new RegExp(`^(?:src|src/contract|console/src)/pipelines/${pipeline}/`).test(file);

function filesIn(folder: string, which: (name: string) => boolean = (name) => !isTest(name)): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && which(name))
    .map((name) => path.posix.join(folder, name));
}

describe('the declaration of a kit', () => {
  it('has no field that nobody reads', () => {
    const [, declared = ''] =
      /export interface PipelineKit<[^{]*\{\n(.*?)\n\}\n/s.exec(textOf('src/pipelines/kit.ts')) ?? [];
    const fields = [...declared.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map((match) => match[1] ?? '');
    expect(fields.length).toBeGreaterThan(20);
    const readers = [...filesIn('src/roles'), ...filesIn('src/main')]
      .map(textOf)
      .filter((text) => /[kK]its?\b/.test(text));
    const isRead = (field: string) =>
      readers.some((text) =>
        new RegExp(`\\bkit\\.${field}\\b|\\(\\{[^})]*\\b${field}\\b|\\{ (?:\\w+, )*${field} = `).test(text),
      );
    expect(fields.filter((field) => !isRead(field))).toEqual([]);
    expect(isRead('fieldThatNobodyReads')).toBe(false);
  });

  it('lists the pipelines, the events and the facts of alerts that the contract lists', () => {
    expect(kits.map(({ name }) => name)).toEqual(machines.map(({ pipeline }) => pipeline));
    expect(kits.flatMap(({ events = {} }) => Object.keys(events)).sort()).toEqual(Object.keys(pipelineEvents).sort());
    // One fact may tell of several things, so the events that facts name are read from their source.
    const named = kits.flatMap(({ name }) =>
      filesIn(`src/pipelines/${name}`).filter((file) => /alert[^/]*\.ts$/.test(file)),
    );
    const told = named.flatMap((file) => [...textOf(file).matchAll(/\bevent: '(\w+)'/g)].map((match) => match[1]));
    expect([...new Set(told)].sort()).toEqual(Object.keys(pipelineAlertEvents).sort());
  });
});

describe('a new pipeline', () => {
  const product = [...filesIn('src'), ...filesIn('console/src')];
  const tests = [...filesIn('src', isTest), ...filesIn('test', () => true)];

  /** Files of the product outside the pipeline's own folders that import it or hold its name as a literal. */
  function edits(name: string): string[] {
    const named = new RegExp(`from '(?:[^']*/pipelines|\\.)/${name}/[^']*'|(?<![\\w-])['"\`]${name}['"\`]`);
    return product.filter((file) => {
      // Comments; a unit that is counted; a field of a type.
      const code = textOf(file).replace(/^\s*(?:\/\/|\*|\/\*).*$|\bunit\b.*'items'|\b[A-Z]\w*\['\w+'\]/gm, '');
      return !isOwn(name, file) && named.test(code);
    });
  }

  /** Tests that do not compile, or do not begin, without it: a line for each of its operations, a subject where it has no sample. */
  function wishes(name: string): string[] {
    const declared = textOf(`src/contract/pipelines/${name}/operations.ts`);
    const operations = [...declared.matchAll(/^ {2}'?([\w.-]+)'?:/gm)].map((match) => match[1]);
    expect(operations.length).toBeGreaterThan(0);
    const line = new RegExp(`^ {2}(?:'(?:${operations.join('|')})':|async ${name}\\(\\) \\{)`, 'm');
    return tests.filter((file) => !isOwn(name, file) && line.test(textOf(file)));
  }

  it.each(kits.map(({ name }) => name))('like %s edits at most 8 files outside its own folders, with tests', (name) => {
    const files = [...edits(name), ...wishes(name)];
    expect(files).toContain('src/pipelines/all.ts');
    expect(files).toContain('test/support/isolation-matrix.ts');
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(8);
  });
});
