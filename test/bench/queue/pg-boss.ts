// pg-boss 10 with what its documentation offers for speed: jobs inserted, fetched and completed in batches, several fetchers at
// a time. Its own workers pause half a second between batches, so the drain uses the documented fetch and complete; the
// latency bench uses its worker at the shortest interval it takes. Finished jobs stay in its table.
import PgBoss from 'pg-boss';
import type { Contender, ContenderOptions, Payload } from './contender.ts';

const QUEUE = 'noop';
const BATCH = 1_000;
const FETCHERS = 2;

export function createPgBoss(options: ContenderOptions): Contender {
  const boss = new PgBoss({ connectionString: options.adminUrl, max: 20, schedule: false });
  boss.on('error', () => {});
  let stopping = false;
  const loops: Promise<void>[] = [];

  async function fetchUntilStopped(onJob: (job: Payload) => Promise<void> | void, batch: number): Promise<void> {
    while (!stopping) {
      const jobs = await boss.fetch<Payload>(QUEUE, { batchSize: batch });
      for (const job of jobs) await onJob(job.data);
      if (jobs.length > 0)
        await boss.complete(
          QUEUE,
          jobs.map((job) => job.id),
        );
      else await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  return {
    async open() {
      await boss.start();
      if ((await boss.getQueue(QUEUE)) === null) await boss.createQueue(QUEUE);
    },
    async enqueueBulk(jobs) {
      for (let from = 0; from < jobs.length; from += 10_000)
        await boss.insert(jobs.slice(from, from + 10_000).map((data) => ({ name: QUEUE, data })));
    },
    async enqueueOne(job) {
      await boss.send(QUEUE, job);
    },
    async work(onJob, concurrency) {
      if (concurrency > 1) {
        for (let number = 0; number < FETCHERS; number += 1) loops.push(fetchUntilStopped(onJob, BATCH));
        return;
      }
      await boss.work<Payload>(QUEUE, { pollingIntervalSeconds: 0.5, batchSize: 1 }, async ([job]) => {
        if (job) await onJob(job.data);
      });
    },
    async close() {
      stopping = true;
      await Promise.all(loops);
      await boss.stop({ graceful: false, close: true });
    },
  };
}
