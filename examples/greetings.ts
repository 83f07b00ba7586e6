// A pipeline of one stage, whole and runnable: greets people one by one, survives kill -9 between any two of them without
// greeting anybody twice, and ends with a receipt that adds up. Run it: npx tsx examples/greetings.ts
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { createMillrace, definePipeline, machine, type Queryable } from '../src/index.ts';

export const greetings = definePipeline({
  machine: machine('greetings', {
    queued: { phase: 'waiting', stage: 'greet', on: { claim: 'greeting', fail: 'failed' } },
    greeting: { phase: 'active', stage: 'greet', on: { complete: 'greeted', fail: 'failed', release: 'queued' } },
    greeted: { phase: 'done' },
    failed: { phase: 'failed' },
  }),
  input: z.object({ names: z.array(z.string()).min(1) }),
  stages: {
    async greet({ run, input: { names }, checkpoint, commit, progress, reject }) {
      const outcomes = (await checkpoint<{ inserted: number; rejected: number }>()) ?? { inserted: 0, rejected: 0 };
      for (let at = outcomes.inserted + outcomes.rejected; at < names.length; at += 1) {
        const name = names[at];
        if (!name) reject({ code: 'value_required', message: 'No name.', line: at + 1, item: { name } });
        outcomes[name ? 'inserted' : 'rejected'] += 1;
        // Row, reject and checkpoint in one fenced transaction: after a crash the next attempt goes on from here.
        await commit(async (tx) => name && insertGreeting(tx, [run.tenantId, run.id, `Hello ${name}`]), {
          checkpoint: outcomes,
        });
        progress({ done: at + 1, total: names.length, unit: 'people' });
      }
      return { on: 'complete', receipt: { read: names.length, outcomes } };
    },
  },
  async recount({ id, input: { names } }, tx) {
    const { rows } = await tx.query('select count(*)::int as stored from greetings where run_id = $1', [id]);
    const rejected = names.filter((name) => !name).length;
    return { read: names.length, outcomes: { inserted: rows[0].stored, rejected } };
  },
});

const insertGreeting = (tx: Queryable, values: string[]) =>
  tx.query('insert into greetings (tenant_id, run_id, words) values ($1, $2, $3)', values);

/** The stage's own table. Row-level security shows each tenant its own rows only. */
export async function createGreetings(admin: Queryable): Promise<void> {
  await admin.query(`
    create table if not exists greetings (tenant_id uuid not null, run_id uuid not null, words text not null);
    alter table greetings enable row level security, force row level security;
    drop policy if exists own on greetings;
    create policy own on greetings using (tenant_id = (select engine.current_tenant()));
    grant select, insert on greetings to millrace_app`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const millrace = await createMillrace({ pipelines: [greetings], prepare: createGreetings });
  await millrace.start();
  const tenantId = '00000000-0000-7000-8000-000000000001';
  const { id } = await millrace.enqueue({ pipeline: 'greetings', tenantId, input: { names: ['Ada', '', 'Grace'] } });
  const { status, receipt } = await millrace.runs.wait(id);
  console.log(status, receipt, (await millrace.runs.verify(id)).agrees ? 'verified' : 'does not agree');
  await millrace.stop();
}
