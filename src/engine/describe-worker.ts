// The facts that a worker writes about itself into the registry of workers: its name, its host, and what it can do.
import { hostname } from 'node:os';
import type { WorkerRow } from './sql/workers.ts';

export function describeWorker(
  workerId: string,
  version: string,
  pipelines: readonly string[],
  concurrency: number,
): WorkerRow {
  const host = hostname();
  return { workerId, name: `${host}:${process.pid}`, pid: process.pid, host, version, pipelines, concurrency };
}
