// BullMQ on a Redis with `appendonly yes` and `appendfsync everysec`, its documented durable default: an acknowledged job may be
// lost with the machine, unlike in Postgres with synchronous_commit on. Present only where redis-server is on the PATH.
import { Queue, Worker } from 'bullmq';
import type { Contender, ContenderOptions, Payload } from './contender.ts';

const QUEUE = 'noop';
const CONCURRENCY = 50;

export function createBullmq(options: ContenderOptions): Contender {
  const connection = { host: '127.0.0.1', port: options.redisPort ?? 6379, maxRetriesPerRequest: null };
  // Keys of its own for each measurement, as the others have a database of their own.
  const prefix = new URL(options.adminUrl).pathname.slice(1);
  const queue = new Queue(QUEUE, { connection, prefix });
  let worker: Worker | undefined;
  return {
    async open() {
      await queue.waitUntilReady();
    },
    async enqueueBulk(jobs) {
      for (let from = 0; from < jobs.length; from += 2_000)
        await queue.addBulk(jobs.slice(from, from + 2_000).map((data) => ({ name: 'noop', data })));
    },
    async enqueueOne(job) {
      await queue.add('noop', job);
    },
    async work(onJob, concurrency) {
      worker = new Worker(QUEUE, async (job) => onJob(job.data as Payload), {
        connection,
        prefix,
        concurrency: Math.max(concurrency, CONCURRENCY),
      });
      await worker.waitUntilReady();
    },
    async close() {
      await worker?.close();
      await queue.close();
    },
  };
}
