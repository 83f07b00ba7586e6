// Puts the compiled modules of the program and of the library into a few files, dist/bundle. Node opened, resolved and compiled 800 small
// files at every start, which took half of a short command's time (docs/decisions/0250). The modules stay where tsc put them: child
// processes start theirs there, and `import.meta.url` in the bundle names the file that the module had, so that what lies beside it is found.
// dist/main/main.js and dist/index.js, the two entries of the package, become one line that loads the bundle.
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const target = path.join(dist, 'bundle');
const fresh = `${target}-${process.pid}`;

const entries = [
  { file: 'main/main.js', name: 'main', text: "#!/usr/bin/env node\nimport '../bundle/main.js';\n" },
  { file: 'index.js', name: 'index', text: "export * from './bundle/index.js';\n" },
];

const ownAddress = {
  name: 'own-address',
  transform(code, id) {
    if (!code.includes('import.meta.url')) return null;
    const place = path.relative(target, id).split(path.sep).join('/');
    return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`);
  },
};

const bundle = await rolldown({
  input: Object.fromEntries(entries.map(({ file, name }) => [name, path.join(dist, file)])),
  platform: 'node',
  // Packages stay packages: some bring binaries, and all are named with their licence where npm put them.
  external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
  plugins: [ownAddress],
});
try {
  mkdirSync(fresh, { recursive: true });
  await bundle.write({ dir: fresh, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name].js' });
  // File by file: a server that runs meanwhile may still load a part that it has not needed yet.
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(fresh)) renameSync(path.join(fresh, name), path.join(target, name));
  for (const { file, text } of entries) writeFileSync(path.join(dist, file), text);
  chmodSync(path.join(dist, 'main/main.js'), 0o755);
} finally {
  await bundle.close();
  rmSync(fresh, { recursive: true, force: true });
}
