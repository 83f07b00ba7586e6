// Real documents for the bench: those of Debian's documentation packages, fetched with apt into a folder beside the system's temporary files and
// unpacked there. Nothing is installed. Where apt cannot fetch them, the bench says so and measures made pages only.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const packages = [
  'debian-policy',
  'developers-reference',
  'debian-handbook',
  'postgresql-doc-15',
  'debian-reference-en',
];
const FETCH_TIMEOUT_MS = 240_000;
const MIN_BYTES = 20_000;

export interface RealFiles {
  readonly pdf: readonly string[];
  readonly html: readonly string[];
}

export function findRealFiles(say: (line: string) => void): RealFiles {
  const folder = path.join(tmpdir(), 'millrace-bench-documents');
  if (!existsSync(folder)) fetchInto(folder, say);
  if (!existsSync(folder)) return { pdf: [], html: [] };
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter(
      (file) => /\.(pdf|pdf\.gz|html)$/.test(file) && !file.includes('/images/') && statSync(file).size > MIN_BYTES,
    )
    .sort();
  return {
    pdf: files.flatMap((file) => (file.endsWith('.gz') ? unpacked(file) : file.endsWith('.pdf') ? [file] : [])),
    html: files.filter((file) => file.endsWith('.html')),
  };
}

function fetchInto(folder: string, say: (line: string) => void): void {
  const next = `${folder}.${process.pid}`;
  mkdirSync(next, { recursive: true });
  for (const name of packages) {
    const { status } = spawnSync('apt-get', ['download', name], { cwd: next, timeout: FETCH_TIMEOUT_MS });
    const deb = readdirSync(next).find((file) => file.startsWith(`${name}_`));
    if (status !== 0 || deb === undefined) {
      say(`${name} cannot be fetched; to have it measured: apt-get update`);
      continue;
    }
    spawnSync('dpkg-deb', ['-x', deb, name], { cwd: next });
    rmSync(path.join(next, deb));
  }
  if (readdirSync(next).length > 0) renameSync(next, folder);
  else {
    rmSync(next, { recursive: true, force: true });
    say('no real documents: none of the packages of Debian could be fetched; only made pages are measured');
  }
}

function unpacked(file: string): string[] {
  const plain = file.slice(0, -3);
  if (!existsSync(plain)) {
    const { status, stdout } = spawnSync('gunzip', ['-c', file], { maxBuffer: 200 * 1024 ** 2 });
    if (status !== 0) return [];
    writeFileSync(plain, stdout);
  }
  return [plain];
}
