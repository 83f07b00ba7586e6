// A test that passes at its second try is named and counted, in a run of the test runner itself.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('a test that needed a second try is printed and counted, one that did not is not', () => {
  const folder = mkdtempSync(path.join(root, 'node_modules', '.second-tries-'));
  try {
    writeFileSync(
      path.join(folder, 'a.test.ts'),
      `import { expect, it } from 'vitest';
       let tries = 0;
       it('wavers', () => { tries += 1; expect(tries).toBe(2); });
       it('is steady', () => {});`,
    );
    writeFileSync(
      path.join(folder, 'vitest.config.ts'),
      `export default { test: { include: ['*.test.ts'], retry: 2, reporters: ['dot', ${JSON.stringify(path.join(root, 'test/support/second-tries.ts'))}] } };`,
    );
    const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const { stdout, status } = spawnSync(process.execPath, [vitest, 'run', '--root', folder], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining('1 test needed more than one try:\n  a.test.ts > wavers (passed at try 2)'),
    ]);
    expect(stdout).not.toContain('is steady (');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
