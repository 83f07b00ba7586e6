// Syncs: Airbyte connections driven on schedule. One stage; one live run per tenant and connector.
import { syncs } from '../../contract/pipelines/syncs/states.ts';
import { definePipeline, type Pipeline } from '../../engine/pipeline.ts';
import { gateSync, WORKER_ROLE } from './gate.ts';
import { SyncInput } from './input.ts';
import { recountSync } from './recount.ts';
import { syncRetryPolicy } from './retry.ts';
import { runSync } from './sync.ts';
import type { SyncsDeps } from './syncs-deps.ts';

/** A job is asked about at least every half minute; this long without an answer the attempt is given up, not the job. */
const STALL_MS = 1_800_000;

export function syncsPipeline(deps: SyncsDeps): Pipeline<SyncInput> {
  return definePipeline<SyncInput>({
    machine: syncs,
    input: SyncInput,
    stages: { sync: { role: WORKER_ROLE, stallMs: STALL_MS, work: (context) => runSync(context, deps) } },
    retry: syncRetryPolicy,
    activeKey: ({ input }) => input.connector_id,
    gate: gateSync,
    announce: ['queued', 'started'],
    recount: (run, tx) => recountSync(run, tx, deps),
  });
}
