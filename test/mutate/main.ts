// npm run mutate [-- --only engine,tabular.half-a-click] [--json FILE] [--minutes N] [--at-a-time N]: plants every break of the list,
// one after the other, and ends with 1 when a test that must catch it did not.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { breaks } from './breaks/all.ts';
import { mutate } from './mutate.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    json: { type: 'string' },
    minutes: { type: 'string', default: '45' },
    'at-a-time': { type: 'string', default: '2' },
  },
});

const wanted = values.only?.split(',');
const chosen = breaks.filter(
  ({ id }) => wanted === undefined || wanted.some((name) => id === name || id.startsWith(`${name}.`)),
);
if (chosen.length === 0) {
  console.error(`no break is called ${values.only}; there are:\n  ${breaks.map(({ id }) => id).join('\n  ')}`);
  process.exit(2);
}
const startedAt = performance.now();
const results = await mutate({
  breaks: chosen,
  atATime: Number(values['at-a-time']),
  maxMs: Number(values.minutes) * 60_000,
  say: (line) => console.error(line),
});
const bad = results.filter(({ verdict }) => verdict !== 'caught');
const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
console.log(JSON.stringify({ breaks: results.length, caught: results.length - bad.length, seconds, bad }));
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ seconds, results }, null, 2)}\n`);
process.exitCode = bad.length === 0 ? 0 : 1;
