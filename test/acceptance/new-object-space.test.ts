// The product's own start: its imports alone let the space outgrow the limit, so a module that is tried alone proves nothing.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'millrace-space-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A module of pipelines is loaded behind everything else; this one fills and lets go of many objects, and says how large the space was at most. */
const greedy = path.join(folder, 'greedy.mjs');
writeFileSync(
  greedy,
  `import { getHeapSpaceStatistics } from 'node:v8';
   const kept = [];
   let most = 0;
   for (let round = 0; round < 150; round++) {
     for (let i = 0; i < 10_000; i++) kept[(round * 10_000 + i) % 200_000] = { i, text: 'x' + i };
     most = Math.max(most, ...getHeapSpaceStatistics().map((s) => (s.space_name === 'new_space' ? s.space_size : 0)));
     await new Promise(setImmediate);
   }
   console.log('MOST ' + most / 2 ** 20);
   process.exit();`,
);

function mostMb(program: string, ...flags: string[]): number {
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, path.join(root, program), '--help'], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', PIPELINE_MODULES: greedy },
  });
  const most = /MOST (\d+)/.exec(stdout)?.[1];
  expect(most, stdout + stderr).toBeDefined();
  return Number(most);
}

it('the space for new objects of the built program stays at 2 × 8 MB, where it would grow to twice as much', () => {
  expect(mostMb('dist/bundle/command.js')).toBeGreaterThan(16);
  expect(mostMb('dist/main/main.js')).toBe(16);
});

it('a size that the operator gave to Node is left alone', () => {
  expect(mostMb('dist/main/main.js', '--max-semi-space-size=4')).toBe(8);
  expect(mostMb('dist/main/main.js', '--max-semi-space-size=32')).toBeGreaterThan(32);
});

/** Says which of Node's own modules were loaded after the program had first set a flag of V8. */
const recorder = path.join(folder, 'recorder.mjs');
writeFileSync(
  recorder,
  `import { syncBuiltinESMExports } from 'node:module';
   import v8 from 'node:v8';
   const { setFlagsFromString } = v8;
   let before;
   v8.setFlagsFromString = (flag) => {
     before ??= new Set(process.moduleLoadList);
     setFlagsFromString(flag);
   };
   syncBuiltinESMExports();
   process.on('exit', () => {
     const late = process.moduleLoadList.filter((name) => name.startsWith('NativeModule') && !before.has(name));
     console.log('LATE ' + JSON.stringify(late.map((name) => name.slice('NativeModule '.length))));
   });`,
);

it('Node loads its own modules before the limit: V8 does not take them as Node compiled them once a flag has changed', () => {
  const address = 'postgres://nobody:x@127.0.0.1:9/nothing';
  const env = { ...process.env, NODE_OPTIONS: '', DATABASE_URL: address, DATABASE_MIGRATION_URL: address };
  const args = ['--import', recorder, path.join(root, 'dist/main/main.js'), 'documents', 'list'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  const late = JSON.parse(/LATE (.+)/.exec(stdout)?.[1] ?? 'null') as string[] | null;
  expect(late, stdout + stderr).not.toBeNull();
  // What no name of Node's asks for by itself: some parts of a few lines each.
  expect(late?.filter((name) => !name.startsWith('internal/'))).toEqual([]);
  expect(late).not.toContain('internal/deps/undici/undici');
  expect(late?.length).toBeLessThan(10);
});
