// pg-boss 12, which needs Node 22, with the fastest settings of its documentation: workers woken by NOTIFY, batches of 2,000, two fetchers
// that go on at once while batches are full. Finished jobs stay in its table. It is not among our dependencies, so that its types
// are named here.
import type { Contender, ContenderOptions, Payload } from './contender.ts';

interface Job {
  readonly data: Payload;
}

interface Boss {
  on(event: 'error', listener: () => void): void;
  start(): Promise<unknown>;
  stop(options: object): Promise<void>;
  getQueue(name: string): Promise<unknown>;
  createQueue(name: string, options: object): Promise<void>;
  insert(name: string, jobs: readonly object[]): Promise<unknown>;
  send(name: string, data: object): Promise<unknown>;
  work(name: string, options: object, handler: (jobs: Job[]) => Promise<void>): Promise<string>;
}

const QUEUE = 'noop';
const BATCH = 2_000;
const FETCHERS = 2;

export async function createPgBoss12(options: ContenderOptions): Promise<Contender> {
  const { PgBoss } = (await import('pg-boss')) as unknown as { PgBoss: new (options: object) => Boss };
  const boss = new PgBoss({
    connectionString: options.adminUrl,
    max: 20,
    schedule: false,
    useListenNotify: true,
  });
  boss.on('error', () => {});
  return {
    async open() {
      await boss.start();
      if ((await boss.getQueue(QUEUE)) === null) await boss.createQueue(QUEUE, { notify: true });
    },
    async enqueueBulk(jobs) {
      for (let from = 0; from < jobs.length; from += 10_000)
        await boss.insert(
          QUEUE,
          jobs.slice(from, from + 10_000).map((data) => ({ data })),
        );
    },
    async enqueueOne(job) {
      await boss.send(QUEUE, job);
    },
    async work(onJob, concurrency) {
      const many = { batchSize: BATCH, localConcurrency: FETCHERS, burstWhenBatchFull: true };
      await boss.work(
        QUEUE,
        { pollingIntervalSeconds: 0.5, ...(concurrency > 1 ? many : { batchSize: 1 }) },
        async (jobs) => {
          for (const job of jobs) await onJob(job.data);
        },
      );
    },
    close: () => boss.stop({ graceful: false, close: true }),
  };
}
