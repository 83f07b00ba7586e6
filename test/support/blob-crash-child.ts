// A process that sweeps or replays and dies at the failpoint it is given: blob-crash-child.ts '{"url", "root", "failpoint", …}'
import { z } from 'zod';
import { machine } from '../../src/contract/states/machine.ts';
import { sweepBlobs } from '../../src/engine/blobs/sweep-blobs.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { createEnginePools } from '../../src/engine/engine-pools.ts';
import { definePipeline } from '../../src/engine/pipeline.ts';
import { startReplay } from '../../src/engine/replay.ts';
import { DiskBlobStore } from '../../src/platform/blob/disk-blob-store.ts';
import { armFromText } from '../../src/platform/failpoints.ts';
import { silentLog } from '../../src/platform/log.ts';

export interface BlobCrashOrders {
  readonly url: string;
  readonly root: string;
  readonly failpoint?: string;
  /** Replays the corrected rows of this run; without it, sweeps. */
  readonly replay?: { readonly tenantId: string; readonly runId: string };
}

const orders = JSON.parse(process.argv[2] ?? '{}') as BlobCrashOrders;
const pools = createEnginePools({
  url: orders.url,
  controlSize: 2,
  effectsSize: 1,
  connectTimeoutMs: 60_000,
  leaseMs: 3_000,
  log: silentLog,
});
const steps = machine('replayed', {
  queued: { phase: 'waiting', stage: 'work', on: { claim: 'working', fail: 'failed' } },
  working: { phase: 'active', stage: 'work', on: { complete: 'completed', fail: 'failed', release: 'queued' } },
  completed: { phase: 'done' },
  failed: { phase: 'failed' },
});
const pipeline = definePipeline({ machine: steps, input: z.unknown(), stages: { work: async () => 'complete' } });
const engine = createEngine({ pools, pipelines: [pipeline], log: silentLog, version: 'test' });
const store = new DiskBlobStore({ root: orders.root });
await engine.register();
if (orders.failpoint !== undefined) armFromText(orders.failpoint);
if (orders.replay === undefined) await sweepBlobs(pools.control, store);
else
  await startReplay(engine, store, orders.replay, {
    pipeline: 'replayed',
    write: (rejects) => Buffer.from(JSON.stringify(rejects.map(({ item }) => item))),
    input: () => ({}),
  });
await pools.close();
