// The pipeline the chaos suites run: it writes one plain row per part, with no key that would hide a repetition. Only the
// fence and the checkpoint stand between a killed worker and a part that is missing or written twice.
import { z } from 'zod';
import { MillraceError } from '../../src/contract/errors/millrace-error.ts';
import { machine } from '../../src/contract/states/machine.ts';
import { definePipeline } from '../../src/engine/pipeline.ts';
import type { FeedRow } from '../../src/engine/sql/event-feed.ts';
import type { StageContext } from '../../src/engine/stage-context.ts';
import type { Queryable } from '../../src/platform/database.ts';
import { failpoint } from '../../src/platform/failpoints.ts';
import { waitAtMost } from '../../src/platform/wait.ts';

export const schema = `
  create schema chaos;
  grant usage on schema chaos to millrace_app, millrace_engine;
  create table chaos.effects (run_id uuid not null, part int not null, attempt int not null, amount int not null,
                              written_at timestamptz not null default clock_timestamp());
  create table chaos.totals (run_id uuid not null, total bigint not null, attempt int not null,
                             written_at timestamptz not null default clock_timestamp());
  create table chaos.applied (seq bigint generated always as identity, event_id bigint not null, position bigint not null,
                              run_id uuid, type text not null);
  create table chaos.stalls (run_id uuid not null);
  grant select, update on chaos.stalls to millrace_app;
  grant select, insert on chaos.effects, chaos.totals to millrace_app;
  grant select, insert on chaos.applied to millrace_engine;`;

const input = z.object({
  parts: z.number().int(),
  amount: z.number().int(),
  trouble: z.enum(['none', 'transient', 'bug']),
  stepMs: z.number(),
});
type Input = z.infer<typeof input>;

export const tallyMachine = machine('tally', {
  queued: { phase: 'waiting', stage: 'gather', on: { claim: 'gathering', fail: 'failed' } },
  gathering: {
    phase: 'active',
    stage: 'gather',
    on: { pass: 'gathered', fail: 'failed', dead: 'dead_letter', release: 'queued' },
  },
  gathered: { phase: 'waiting', stage: 'settle', on: { claim: 'settling', fail: 'failed' } },
  settling: { phase: 'active', stage: 'settle', on: { complete: 'completed', fail: 'failed', release: 'gathered' } },
  completed: { phase: 'done' },
  failed: { phase: 'failed' },
  dead_letter: { phase: 'dead' },
});

/** The next version: runs with an even amount are looked over by a stage that the first version does not have. */
const grownTallyMachine = machine(
  'tally',
  {
    queued: { phase: 'waiting', stage: 'gather', on: { claim: 'gathering', fail: 'failed' } },
    gathering: {
      phase: 'active',
      stage: 'gather',
      on: { pass: 'gathered', check: 'unchecked', fail: 'failed', dead: 'dead_letter', release: 'queued' },
    },
    unchecked: { phase: 'waiting', stage: 'check', on: { claim: 'checking', fail: 'failed' } },
    checking: { phase: 'active', stage: 'check', on: { pass: 'gathered', fail: 'failed', release: 'unchecked' } },
    gathered: { phase: 'waiting', stage: 'settle', on: { claim: 'settling', fail: 'failed' } },
    settling: { phase: 'active', stage: 'settle', on: { complete: 'completed', fail: 'failed', release: 'gathered' } },
    completed: { phase: 'done' },
    failed: { phase: 'failed' },
    dead_letter: { phase: 'dead' },
  },
  2,
);

export interface TallyOptions {
  /** Default: the first. */
  readonly generation?: 1 | 2;
  readonly laneCap?: number;
  /** Called inside the open effects transaction; a zombie is stopped there. */
  readonly insideTransaction?: () => Promise<void> | void;
}

export function tallyPipeline(options: TallyOptions = {}) {
  const grown = options.generation === 2;
  return definePipeline({
    machine: grown ? grownTallyMachine : tallyMachine,
    input,
    announce: ['queued', 'started'],
    retry: { transient: { max: 1_000, backoff: { baseMs: 100, factor: 1, maxMs: 100, jitter: 0 } } },
    lostLimit: 1_000,
    ...(options.laneCap === undefined ? {} : { laneCap: options.laneCap }),
    stages: {
      gather: (context) => gather(context, options),
      settle,
      ...(grown ? { check: async () => 'pass' } : {}),
    },
  });
}

async function gather(context: StageContext<Input>, options: TallyOptions) {
  const { parts, amount, trouble, stepMs } = context.input;
  const { run } = context;
  failpoint('stage.first_byte');
  const from = (await context.checkpoint<{ next: number }>())?.next ?? 0;
  for (let part = from; part < parts; part += 1) {
    await context.commit(
      async (tx) => {
        await tx.query('insert into chaos.effects (run_id, part, attempt, amount) values ($1, $2, $3, $4)', [
          run.id,
          part,
          run.attempt,
          amount + part,
        ]);
        // Waits here for as long as somebody holds the run's row, if it has one.
        await tx.query('select from chaos.stalls where run_id = $1 for share', [run.id]);
        await options.insideTransaction?.();
      },
      { checkpoint: { next: part + 1 } },
    );
    context.progress({ done: part + 1, total: parts });
    if (trouble === 'bug') break;
    if (trouble === 'transient' && run.failures['transient:gather'] === undefined)
      throw new MillraceError('database_busy', {});
    if (stepMs > 0) await waitAtMost(stepMs, context.signal);
  }
  if (trouble === 'bug') throw new TypeError('the stage has a bug');
  return options.generation === 2 && amount % 2 === 0 ? 'check' : 'pass';
}

async function settle(context: StageContext<Input>) {
  const { run } = context;
  const settled = await context.checkpoint();
  const read = await context.commit(
    async (tx) => {
      const { rows } = await tx.query<{ parts: number; total: number }>(
        'select count(*)::int as parts, coalesce(sum(amount), 0)::int as total from chaos.effects where run_id = $1',
        [run.id],
      );
      const found = rows[0] as { parts: number; total: number };
      if (settled === undefined)
        await tx.query('insert into chaos.totals (run_id, total, attempt) values ($1, $2, $3)', [
          run.id,
          found.total,
          run.attempt,
        ]);
      return found.parts;
    },
    { checkpoint: { settled: true } },
  );
  return { on: 'complete', receipt: { read, outcomes: { written: read } } };
}

/** The consumer of the suites: writes down each event it is handed. */
export async function applyEvents(tx: Queryable, events: readonly FeedRow[]): Promise<void> {
  await tx.query(
    `insert into chaos.applied (event_id, position, run_id, type)
     select * from unnest($1::bigint[], $2::bigint[], $3::uuid[], $4::text[])`,
    [
      events.map((event) => event.event_id),
      events.map((event) => event.position),
      events.map((event) => event.run_id),
      events.map((event) => event.type),
    ],
  );
}
