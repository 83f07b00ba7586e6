import { describe, expect, it } from 'vitest';
import { type Log, silentLog } from '../platform/log.ts';
import { WorkerWatch } from './worker-watch.ts';

const resting = { claimLoop: undefined, finisher: undefined, heartbeat: undefined };

function watch() {
  const said: string[] = [];
  const say: Log['error'] = (fields, message) => void said.push(`${(fields as { part: string }).part}: ${message}`);
  return { said, watch: new WorkerWatch(10_000, { ...silentLog, error: say, warn: say }) };
}

describe('the watch over a worker', () => {
  it('says nothing of parts that rest or are not busy for long', () => {
    const { watch: over, said } = watch();
    expect(over.look('w', resting, 1_000_000)).toEqual([]);
    expect(over.look('w', { ...resting, claimLoop: 0, finisher: 0 }, 14_000)).toEqual([]);
    expect(said).toEqual([]);
  });

  it('names a part that stands once, and again when it moves', () => {
    const { watch: over, said } = watch();
    expect(over.look('w', { ...resting, claimLoop: 0 }, 15_001)).toEqual(['claimLoop']);
    expect(over.look('w', { ...resting, claimLoop: 0 }, 60_000)).toEqual([]);
    expect(over.look('w', { ...resting, claimLoop: 59_000 }, 60_000)).toEqual([]);
    expect(said).toEqual([
      'claimLoop: a part of the worker makes no progress',
      'claimLoop: a part of the worker makes progress again',
    ]);
  });

  it('lets the heartbeat vouch for the worker only while its ends are written', () => {
    const { watch: over } = watch();
    over.look('w', { ...resting, claimLoop: 0, heartbeat: 0 }, 20_000);
    expect(over.canEndRuns).toBe(true);
    over.look('w', { ...resting, finisher: 0 }, 20_000);
    expect(over.canEndRuns).toBe(false);
    over.look('w', resting, 20_000);
    expect(over.canEndRuns).toBe(true);
  });
});
