// `sse-p95`: from the commit of an event to its arrival at each of a thousand Server-Sent Events readers, who live in another process.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Engine } from '../../src/engine/engine.ts';
import { type Figure, percentile, time } from './report.ts';

export async function benchStreams(options: {
  engine: Engine;
  tenantId: string;
  url: string;
  token: string;
  readers: number;
  events: number;
  say: (line: string) => void;
}): Promise<Figure> {
  const child = fork(fileURLToPath(new URL('./stream-listeners.ts', import.meta.url)));
  try {
    const { hostname, port } = new URL(options.url);
    child.send({ host: hostname, port: Number(port), token: options.token, count: options.readers });
    await once(child, 'message');
    options.say(`  ${options.readers} readers connected`);
    // The seats are taken a moment after the headers were sent.
    await pause(1_000);
    for (let n = 0; n < options.events; n++) {
      const data = JSON.stringify({ made_at: Date.now() });
      await options.engine.emit([
        { tenantId: options.tenantId, runId: null, type: 'bench.tick', key: `tick-${n}`, data },
      ]);
      await pause(200);
    }
    const late = await collect(child, options.readers * options.events);
    options.say(`  p50 ${percentile(late, 0.5)} ms, p95 ${percentile(late, 0.95)} ms, ${late.length} arrivals`);
    return time('sse-p95', [percentile(late, 0.95)], 'ms', {});
  } finally {
    child.kill();
  }
}

async function collect(child: ChildProcess, expected: number): Promise<number[]> {
  const all: number[] = [];
  for (let tries = 0; tries < 50 && all.length < expected; tries++) {
    child.send('report');
    const [{ late }] = (await once(child, 'message')) as [{ late: number[] }];
    all.push(...late);
    await pause(100);
  }
  if (all.length !== expected) throw new Error(`${all.length} of ${expected} events arrived`);
  return all;
}
