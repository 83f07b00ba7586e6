// Millrace in the bench: only its public interface. A run keeps its attempt, its receipt and its events.
import { z } from 'zod';
import { createMillrace, definePipeline, type Millrace, machine } from '../../../src/index.ts';
import type { Contender, ContenderOptions, Payload } from './contender.ts';

/** Two tenants, as the fairness bench has two owners. */
export const tenants = {
  a: '00000000-0000-7000-8000-00000000000a',
  b: '00000000-0000-7000-8000-00000000000b',
} as const;

const pipelineNames = ['noop', 'noop_2', 'noop_3'];

const tenantNumber = (number: number) => `00000000-0000-7000-8000-${(number + 0x100).toString(16).padStart(12, '0')}`;

export function createMillraceContender(options: ContenderOptions): Contender {
  let handle: (job: Payload) => Promise<void> | void = () => {};
  const noops = pipelineNames.map((name) =>
    definePipeline({
      machine: machine(name, {
        queued: { phase: 'waiting', stage: 'work', on: { claim: 'working', fail: 'failed' } },
        working: { phase: 'active', stage: 'work', on: { complete: 'completed', fail: 'failed', release: 'queued' } },
        completed: { phase: 'done' },
        failed: { phase: 'failed' },
      }),
      input: z.object({
        n: z.number(),
        owner: z.enum(['a', 'b']),
        tenant: z.number().optional(),
        pipeline: z.number().optional(),
        sentAt: z.number().optional(),
      }),
      stages: {
        work: async ({ input }) => {
          await handle(input as Payload);
          return 'complete';
        },
      },
    }),
  );
  let millrace: Millrace | undefined;
  const opened = () => {
    if (!millrace) throw new Error('open it first');
    return millrace;
  };
  const request = (job: Payload) => ({
    pipeline: pipelineNames[job.pipeline ?? 0] ?? 'noop',
    tenantId: job.tenant === undefined ? tenants[job.owner] : tenantNumber(job.tenant),
    input: job,
  });
  return {
    async open() {
      millrace = await createMillrace({
        ...(options.pooledUrl === undefined
          ? { databaseUrl: options.url }
          : { databaseUrl: options.pooledUrl, directUrl: options.url, pooler: 'transaction' as const }),
        migrationUrl: options.adminUrl,
        pipelines: noops.slice(0, options.pipelines ?? 1),
        settings: { concurrency: Number(process.env.BENCH_CONCURRENCY ?? 10) },
      });
    },
    async enqueueBulk(jobs) {
      for (let from = 0; from < jobs.length; from += 10_000)
        await opened().enqueueMany(jobs.slice(from, from + 10_000).map(request));
    },
    async enqueueOne(job) {
      await opened().enqueue(request(job));
    },
    async work(onJob) {
      handle = onJob;
      await opened().start();
    },
    close: async () => opened().stop(),
  };
}
