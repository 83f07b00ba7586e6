// A process with three steps to stop, for the tests of shutdown. Its argument says how the middle step behaves.
import { setTimeout as pause } from 'node:timers/promises';
import { silentLog } from '../../src/platform/log.ts';
import { createShutdown } from '../../src/platform/shutdown.ts';

const behaviour = process.argv[2];
const say = (word: string): void => {
  process.stdout.write(`${word}\n`);
};
const shutdown = createShutdown({ graceMs: 300, lastChanceMs: 100, log: silentLog });

shutdown.add('database', () => say('database'));
shutdown.add('worker', async (hurry) => {
  say('worker');
  if (behaviour === 'fails') throw new Error('no');
  if (behaviour === 'hangs') await new Promise(() => {});
  if (behaviour === 'hurries') await pause(60_000, undefined, { signal: hurry }).catch(() => say('hurried'));
});
shutdown.add('server', async () => {
  await pause(20);
  say('server');
});
shutdown.listen();
setInterval(() => {}, 1_000);
if (behaviour === 'throws') setImmediate(() => Promise.reject(new Error('nobody caught this')));
say('ready');
