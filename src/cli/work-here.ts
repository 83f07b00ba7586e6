// A command that hands work to this machine's own installation does the work itself when nobody else does.
import type { Connection } from './connection.ts';

/** On this machine's own database, when no worker is alive for the pipeline, this process becomes one. */
export async function workIfNobodyDoes({ call, tools }: Connection, pipeline: string): Promise<boolean> {
  if (tools === undefined) return false;
  const { data: workers } = await call('operate.workers');
  if (workers.some((worker) => worker.state === 'alive' && worker.pipelines.includes(pipeline))) return false;
  await tools.engine.start({ worker: true, services: true });
  return true;
}
