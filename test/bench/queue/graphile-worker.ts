// graphile-worker with the settings of its own performance page: a local queue of 500, completions and failures batched,
// 24 jobs at a time. Jobs are deleted when done; it keeps no history.
import { Logger, makeWorkerUtils, type Runner, run, type WorkerUtils } from 'graphile-worker';
import pg from 'pg';
import type { Contender, ContenderOptions, Payload } from './contender.ts';

const silent = new Logger(() => () => {});

export function createGraphileWorker(options: ContenderOptions): Contender {
  let worker: Runner | undefined;
  let tools: WorkerUtils | undefined;
  const pool = new pg.Pool({ connectionString: options.adminUrl, max: 50 });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    async open() {
      tools = await makeWorkerUtils({ pgPool: pool, logger: silent });
      await tools.migrate();
    },
    async enqueueBulk(jobs) {
      for (let from = 0; from < jobs.length; from += 10_000)
        await tools?.addJobs(jobs.slice(from, from + 10_000).map((payload) => ({ identifier: 'noop', payload })));
    },
    async enqueueOne(job) {
      await tools?.addJob('noop', job);
    },
    async work(onJob, concurrency) {
      worker = await run({
        pgPool: pool,
        logger: silent,
        noHandleSignals: true,
        taskList: { noop: async (payload) => onJob(payload as Payload) },
        preset: {
          worker: {
            concurrentJobs: Math.max(concurrency, 24),
            pollInterval: 500,
            localQueue: { size: 500 },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
      });
    },
    async close() {
      await worker?.stop();
      await tools?.release();
      await pool.end();
    },
  };
}
