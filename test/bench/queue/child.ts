// One process of one contender: child.js NAME OPTIONS. Does what it is told over IPC and counts the jobs it handled.
// Each contender is loaded only where it runs: peers of today run on another Node, without the packages of ours.
import { type Contender, type ContenderOptions, type Payload, wallMs } from './contender.ts';
import type { Answer, ContenderName, Counts, Order } from './orders.ts';

type Maker = (options: ContenderOptions) => Contender | Promise<Contender>;
const isCurrent = Number(process.versions.node.split('.')[0]) >= 22 && process.argv[4] === 'current';
const makers: Readonly<Record<ContenderName, () => Promise<Maker>>> = {
  millrace: async () => (await import('./millrace.ts')).createMillraceContender,
  'graphile-worker': async () => (await import('./graphile-worker.ts')).createGraphileWorker,
  'pg-boss': async () =>
    isCurrent ? (await import('./pg-boss-12.ts')).createPgBoss12 : (await import('./pg-boss.ts')).createPgBoss,
  bullmq: async () => (await import('./bullmq.ts')).createBullmq,
  raw: async () => (await import('./raw.ts')).createRaw,
};

const [name, options] = process.argv.slice(2) as [ContenderName, string];
const make = await makers[name]();
const contender = await make(JSON.parse(options) as ContenderOptions);

const counts = { calls: 0, callsOfB: 0, firstAt: 0, lastOfBAt: 0, latenciesMs: [] as number[] };
let jobMs = 0;
let sent = 0;

function onJob(job: Payload): Promise<void> | void {
  if (counts.calls === 0) counts.firstAt = wallMs();
  counts.calls += 1;
  if (job.sentAt !== undefined) counts.latenciesMs.push(wallMs() - job.sentAt);
  if (job.owner === 'b') {
    counts.callsOfB += 1;
    counts.lastOfBAt = wallMs();
  }
  if (jobMs > 0) return new Promise((resolve) => setTimeout(resolve, jobMs));
}

async function obey(order: Order): Promise<Counts | undefined> {
  switch (order.do) {
    case 'open':
      await contender.open();
      return undefined;
    case 'bulk':
      await contender.enqueueBulk(
        Array.from({ length: order.count }, (_, n) => ({ n, owner: order.owner, ...spread(order, n) })),
      );
      return undefined;
    case 'single':
      await enqueueOneByOne(order.count, order.width);
      return undefined;
    case 'send':
      sent += 1;
      await contender.enqueueOne({ n: sent, owner: order.owner, sentAt: wallMs() });
      return undefined;
    case 'work':
      jobMs = order.jobMs;
      await contender.work(onJob, order.concurrency);
      return undefined;
    case 'pace':
      jobMs = order.jobMs;
      return undefined;
    case 'count':
      return counts;
    case 'close':
      await contender.close();
      return counts;
  }
}

function spread({ spread: over }: Extract<Order, { do: 'bulk' }>, n: number): Pick<Payload, 'tenant' | 'pipeline'> {
  return over ? { tenant: n % over.tenants, pipeline: over.pipelines[n % over.pipelines.length] ?? 0 } : {};
}

async function enqueueOneByOne(count: number, width: number): Promise<void> {
  let left = count;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await contender.enqueueOne({ n: left, owner: 'a' });
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
}

process.on('message', ({ id, order }: { id: number; order: Order }) => {
  const startedAt = performance.now();
  const say = (answer: Partial<Answer>) => process.send?.({ id, ms: performance.now() - startedAt, ...answer });
  obey(order).then(
    (answer) => say(answer ? { counts: answer } : {}),
    (error: unknown) => say({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
