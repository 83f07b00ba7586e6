// Node's own modules that every command needs, loaded before anything else is done: they come compiled with Node, which V8 takes only while
// its flags are those that Node was built with. Behind the flag that new-object-space.ts sets, each was compiled again: 50 ms of processor
// time at every start.

const needed = [
  'assert',
  'child_process',
  'crypto',
  'dgram',
  'dns',
  'dns/promises',
  'fs/promises',
  'http2',
  'https',
  'module',
  'os',
  'perf_hooks',
  'process',
  'readline/promises',
  'stream/promises',
  'timers/promises',
  'tty',
  'v8',
  'worker_threads',
  'zlib',
] as const;

/** Asked for by name: an import of what is not used is left out of the bundle. */
export function loadNodeModules(): void {
  for (const name of needed) process.getBuiltinModule(`node:${name}`);
  // What fetch stands on is the largest of all; Node loads it when somebody first asks for one of its names.
  void globalThis.Headers;
}
