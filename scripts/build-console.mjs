// Builds the console into dist/console, or does nothing when its sources are the ones of the last build. The new files are made
// beside the old ones and swapped in whole, so that a server that starts meanwhile never serves half a console. First load over
// 200 kB of compressed script is an error: a page that grows slow is a fault like any other.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = path.join(root, 'dist/console');
const stampFile = path.join(target, '.sources');
const maxFirstLoadBytes = 200_000;

const stamp = hashSources(['console', 'src/contract', 'package-lock.json', 'scripts/build-console.mjs']);
if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) await build();

async function build() {
  const { build: viteBuild } = await import('vite');
  const fresh = `${target}-${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  try {
    await viteBuild({
      configFile: path.join(root, 'console/vite.config.ts'),
      logLevel: 'error',
      build: { outDir: fresh },
    });
    const bytes = firstLoadBytes(fresh);
    if (bytes > maxFirstLoadBytes)
      throw new Error(`The console's first load is ${bytes} bytes of compressed script; at most ${maxFirstLoadBytes}.`);
    writeFileSync(path.join(fresh, '.sources'), stamp);
    rmSync(target, { recursive: true, force: true });
    renameSync(fresh, target);
    console.log(`console built: first load ${(bytes / 1000).toFixed(1)} kB of compressed script`);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Scripts the entry needs before the home page shows: the entry, its static imports, the home page and its own. */
function firstLoadBytes(folder) {
  const manifest = JSON.parse(readFileSync(path.join(folder, '.vite/manifest.json'), 'utf8'));
  const files = new Set();
  const take = (key) => {
    const chunk = manifest[key];
    if (!chunk || files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const each of chunk.imports ?? []) take(each);
  };
  take('index.html');
  take('src/features/home/home-page.tsx');
  const scripts = [...files].filter((file) => file.endsWith('.js'));
  return scripts.reduce((sum, file) => sum + gzipSync(readFileSync(path.join(folder, file))).length, 0);
}

function hashSources(names) {
  const hash = createHash('sha256');
  for (const name of names) {
    const file = path.join(root, name);
    for (const each of listFiles(file)) hash.update(path.relative(root, each)).update('\0').update(readFileSync(each));
  }
  return hash.digest('hex');
}

function listFiles(file) {
  if (!existsSync(file)) return [];
  const entries = readdirSync(path.dirname(file), { withFileTypes: true });
  const self = entries.find((entry) => entry.name === path.basename(file));
  if (!self?.isDirectory()) return /\.test\.tsx?$/.test(file) ? [] : [file];
  return readdirSync(file)
    .sort()
    .flatMap((name) => listFiles(path.join(file, name)));
}
