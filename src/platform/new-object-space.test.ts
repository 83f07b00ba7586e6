import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const module = new URL('./new-object-space.ts', import.meta.url).href;
/** Fills and lets go of 200,000 objects thirty times, and says how large the space for new ones was at most. */
const program = (isLimited: boolean) => `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { limitNewObjectSpace } from ${JSON.stringify(module)};
  ${isLimited ? 'limitNewObjectSpace();' : ''}
  const kept = [];
  let most = 0;
  for (let round = 0; round < 600; round++) {
    for (let i = 0; i < 10_000; i++) kept[(round * 10_000 + i) % 200_000] = { i, text: 'x' + i };
    most = Math.max(most, ...getHeapSpaceStatistics().map((s) => (s.space_name === 'new_space' ? s.space_size : 0)));
    await new Promise(setImmediate);
  }
  console.log(most / 2 ** 20);
`;

function mostMb(isLimited: boolean, ...flags: string[]): number {
  const args = ['--import', 'tsx', ...flags, '--input-type=module', '--eval', program(isLimited)];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  expect(stdout, stderr).toMatch(/^\d/);
  return Number(stdout);
}

it('the space for new objects stays at 2 × 8 MB, where it would grow to twice as much', () => {
  expect(mostMb(false)).toBeGreaterThan(16);
  expect(mostMb(true)).toBe(16);
});

it('a size that the operator gave to Node is left alone', () => {
  expect(mostMb(true, '--max-semi-space-size=4')).toBe(8);
});
