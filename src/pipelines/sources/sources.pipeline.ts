// Sources: one sync of one source. At most one at a time: the source is the active key.
import { sources } from '../../contract/pipelines/sources/states.ts';
import { definePipeline, type Pipeline } from '../../engine/pipeline.ts';
import { SyncInput } from './input.ts';
import { recountSync } from './recount.ts';
import type { SourcesDeps } from './sources-deps.ts';
import { syncSource } from './sync.ts';

/** A large object is read for a long while without a commit; its bytes are signs of activity. */
const STALL_MS = 600_000;

const MINUTE_MS = 60_000;

export function sourcesPipeline(deps: SourcesDeps): Pipeline<SyncInput> {
  return definePipeline<SyncInput>({
    machine: sources,
    input: SyncInput,
    stages: { sync: { role: 'sources_worker', stallMs: STALL_MS, work: (context) => syncSource(context, deps) } },
    activeKey: ({ input }) => input.source_id,
    // A place that is away for a while is nothing a person must act on.
    retry: {
      transient: { max: 6, backoff: { baseMs: 5_000, factor: 3, maxMs: 15 * MINUTE_MS, jitter: 0.25 } },
    },
    recount: recountSync,
  });
}
