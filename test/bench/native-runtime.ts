// The native runtime of ONNX takes 290 MB: the bench fetches it with npm into a folder beside the system's temporary files and keeps it there.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const FETCH_TIMEOUT_MS = 300_000;

/** Where it is kept, if it was ever fetched. */
export const nativeRuntimeFolder = path.join(tmpdir(), 'millrace-bench-onnx');

/** The folder it is installed in; undefined where it cannot be had. */
export function findNativeRuntime(say: (line: string) => void): string | undefined {
  const folder = nativeRuntimeFolder;
  if (!existsSync(folder)) {
    const next = `${folder}.${process.pid}`;
    mkdirSync(next, { recursive: true });
    writeFileSync(path.join(next, 'package.json'), JSON.stringify({ private: true }));
    const settings = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', next];
    const { status } = spawnSync('npm', ['install', ...settings, 'onnxruntime-node@1'], {
      timeout: FETCH_TIMEOUT_MS,
      cwd: next,
    });
    if (status === 0) renameSync(next, folder);
    else rmSync(next, { recursive: true, force: true });
  }
  if (existsSync(path.join(folder, 'node_modules', 'onnxruntime-node'))) return folder;
  say('onnxruntime-node cannot be fetched: embed-native is not measured');
  return undefined;
}
