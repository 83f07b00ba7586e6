// Items: a file becomes rows, the rows are processed in slices, by one worker or by several.
import { items } from '../../contract/pipelines/items/states.ts';
import { definePipeline, type Pipeline } from '../../engine/pipeline.ts';
import type { ItemsDeps } from './deps.ts';
import { ingestJob } from './ingest/ingest.ts';
import { ItemsInput } from './input.ts';
import { concludeJob, processJob, workPart } from './process/process.ts';
import { recountJob } from './recount.ts';

const ROLE = 'items_worker';
/** Beyond the time of one item there is always a sign. */
const STALL_FACTOR = 2;
const LEAST_STALL_MS = 120_000;

export function itemsPipeline(deps: ItemsDeps): Pipeline<ItemsInput> {
  const { settings } = deps;
  const stallMs = Math.max(LEAST_STALL_MS, settings.itemTimeoutMs * STALL_FACTOR + settings.workerTargetSliceMs);
  return definePipeline<ItemsInput>({
    machine: items,
    input: ItemsInput,
    stages: {
      ingest: { role: ROLE, work: (context) => ingestJob(context, deps) },
      process: { role: ROLE, stallMs, work: (context) => processJob(context, deps) },
      share: {
        role: ROLE,
        stallMs,
        parts: settings.itemPartsPerJob,
        work: (context) => workPart(context, deps),
        conclude: (context) => concludeJob(context),
      },
    },
    activeKey: ({ input }) => input.job_id,
    laneCap: settings.itemJobsPerTenant,
    // A job that waits for a retry of tomorrow has not failed.
    retry: {
      rate_limited: {
        max: Number.POSITIVE_INFINITY,
        backoff: { baseMs: 60_000, factor: 1, maxMs: 3_600_000, jitter: 0.25 },
      },
    },
    recount: (run, tx) => recountJob(run, tx, deps),
    announce: ['queued', 'started'],
  });
}
