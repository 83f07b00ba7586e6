// The listening itself: a file on judgments that says nothing of people passes, one that leaks or sends nobody in fails.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { findCanaries } from './canary-people.ts';
import { judgmentsTests } from './heard.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
// Inside the repository, so that imports resolve; the name says that it is on judgments.
mkdirSync(path.join(root, 'node_modules/.tmp'), { recursive: true });
const folder = mkdtempSync(path.join(root, 'node_modules/.tmp/canaries-'));
const place = path.join(folder, 'src/pipelines/judgments');
mkdirSync(place, { recursive: true });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const config = path.join(folder, 'vitest.config.mjs');
writeFileSync(
  config,
  `export default { root: ${JSON.stringify(folder)}, test: { include: ['**/*.test.ts'], setupFiles: [${JSON.stringify(path.join(root, 'test/support/listen-for-canaries.ts'))}] } };`,
);

async function runFile(body: string): Promise<{ isGreen: boolean; output: string }> {
  const support = JSON.stringify(path.join(root, 'test/support/canary-people.ts'));
  const heard = JSON.stringify(path.join(root, 'test/support/heard.ts'));
  writeFileSync(
    path.join(place, 'new.test.ts'),
    `import { it } from 'vitest';\nimport { canaryPerson } from ${support};\nimport { hear } from ${heard};\nvoid [canaryPerson, hear];\nit('works', () => {${body}});\n`,
  );
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  return new Promise((resolve) => {
    execFile(process.execPath, [vitest, 'run', '--config', config], { cwd: folder }, (error, stdout, stderr) =>
      resolve({ isGreen: error === null, output: stdout + stderr }),
    );
  });
}

describe('a test file on judgments', () => {
  it.each([
    ['that sends people in and keeps quiet passes', 'canaryPerson();', true, ''],
    ['that sends nobody in fails', '', false, 'sends in no canaries'],
    ['whose product says a name fails', 'hear(canaryPerson().name);', false, 'people stand where nobody may'],
    ['that prints an address fails', 'console.log(canaryPerson().email);', false, 'people stand where nobody may'],
  ])('%s', async (_, body, isGreen, words) => {
    const run = await runFile(body);
    expect([run.isGreen, run.output.includes(words)]).toEqual([isGreen, true]);
  });

  it('is one of the pipeline, of its routes or of its commands', () => {
    const yes = [
      'src/pipelines/judgments/a.db.test.ts',
      'src/pipelines/judgments/http/a.test.ts',
      'src/pipelines/judgments/cli/golden-path/a.test.ts',
      '/x/test/acceptance/judgments.test.ts',
    ];
    const no = ['src/pipelines/ads/a.test.ts', 'src/http/canaries.db.test.ts', 'src/pipelines/judgments/rules.ts'];
    expect([...yes, ...no].filter((name) => judgmentsTests.test(name))).toEqual(yes);
  });
});

it('a person is found as written, in other letters, for URLs and in base64', () => {
  const forms = [
    'x Canary Plaintiffsson y',
    'CANARY%20PLAINTIFFSSON',
    Buffer.from('Canary Plaintiffsson').toString('base64'),
  ];
  expect(forms.map((form) => findCanaries(form))).toEqual(forms.map(() => ['Canary Plaintiffsson']));
});
