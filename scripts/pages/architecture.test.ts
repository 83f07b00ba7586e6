// docs/ARCHITECTURE.md is a map: what it names is there, and no table of the engine or layer of the product is left out.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { kits } from '../../src/pipelines/all.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const page = read('docs/ARCHITECTURE.md');
const blocks = [...page.matchAll(/```\n(.*?)```/gs)].map((match) => match[1] ?? '');
const tree = blocks.find((block) => block.startsWith('src/')) ?? '';
const ledger = blocks.find((block) => block.startsWith('engine.')) ?? '';
const foldersIn = (folder: string) =>
  readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );

describe('the map of the product', () => {
  it('names every layer, every pipeline, every folder of http and every kind of test', () => {
    const wanted = [
      ...foldersIn('src').map((name) => `${name}/`),
      ...kits.map(({ name }) => `${name}/`),
      ...foldersIn('src/http')
        .filter((name) => name !== 'sql')
        .map((name) => `${name}/`),
      ...foldersIn('test').map((name) => `${name}/`),
    ];
    expect(wanted.filter((name) => !tree.includes(name))).toEqual([]);
  });

  it('names no folder that is gone', () => {
    const top = [...tree.matchAll(/^([a-z]+(?:\/[a-z]+)*)\/ /gm)].map((match) => match[1] ?? '');
    expect(top.length).toBeGreaterThan(5);
    expect(top.filter((folder) => folder !== 'dist' && !existsSync(path.join(root, folder)))).toEqual([]);
    const layers = [...tree.matchAll(/^ {2}([a-z]+)\/ /gm)].map((match) => match[1] ?? '');
    expect(layers.filter((folder) => !existsSync(path.join(root, 'src', folder)))).toEqual([]);
    const http = /^ {2}http\/.*?(?=^ {2}\S)/ms.exec(tree)?.[0] ?? '';
    const inside = [...http.matchAll(/^ {4}([a-z-]+)\/ /gm)].map((match) => match[1] ?? '');
    expect(inside.filter((folder) => !existsSync(path.join(root, 'src/http', folder)))).toEqual([]);
  });

  it('names every table of the ledger, and none that is gone', () => {
    const tables = [...read('db/schema.sql').matchAll(/^create (?:unlogged )?table engine\.([a-z_]+)/gm)]
      .map((match) => match[1] ?? '')
      .filter((name) => !name.endsWith('_other'));
    expect(tables.filter((name) => !new RegExp(`\\b${name}\\b`).test(ledger))).toEqual([]);
    const named = ledger
      .split('\n')
      .filter((line) => line.startsWith('engine.'))
      .flatMap((line) => (line.split(/ {2,}/)[0] ?? '').split(' · '))
      .map((name) => name.replace('engine.', '').trim());
    expect(named.filter((name) => !tables.includes(name))).toEqual([]);
  });
});
