import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { type Machine, machine } from '../contract/states/machine.ts';
import { definePipeline } from './pipeline.ts';

const database = useDatabase();
type TestEngine = Awaited<ReturnType<typeof buildEngine>>;
const engines: TestEngine[] = [];

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

async function register(declared: Machine, more: object = {}): Promise<TestEngine> {
  const stages = Object.fromEntries(
    Object.values(declared.states).flatMap((state) => (state.stage ? [[state.stage, async () => 'complete']] : [])),
  );
  const pipeline = definePipeline({ machine: declared, input: z.record(z.string(), z.unknown()), stages, ...more });
  const engine = await buildEngine(database.appUrl, [pipeline]);
  engines.push(engine);
  return engine;
}

const first = (name: string) =>
  machine(name, {
    queued: { phase: 'waiting', stage: 'work', on: { claim: 'working', fail: 'failed' } },
    working: { phase: 'active', stage: 'work', on: { complete: 'completed', fail: 'failed', release: 'queued' } },
    completed: { phase: 'done' },
    failed: { phase: 'failed' },
  });

const second = (name: string) =>
  machine(
    name,
    {
      queued: { phase: 'waiting', stage: 'work', on: { claim: 'working', fail: 'failed' } },
      working: {
        phase: 'active',
        stage: 'work',
        on: { complete: 'completed', part: 'partial', fail: 'failed', release: 'queued' },
      },
      completed: { phase: 'done' },
      partial: { phase: 'done' },
      failed: { phase: 'failed' },
    },
    2,
  );

async function arrows(pipeline: string): Promise<string[]> {
  const { rows } = await database.admin.query<{ arrow: string }>(
    `select from_status || ' ' || event || ' ' || to_status as arrow from engine.transitions where pipeline = $1 order by 1`,
    [pipeline],
  );
  return rows.map((row) => row.arrow);
}

describe('machines', () => {
  it('are only ever extended: the old and the new version can run together', async () => {
    const old = await register(first('grows'));
    const before = await arrows('grows');
    await register(second('grows'));
    const after = await arrows('grows');
    expect(after).toEqual(expect.arrayContaining(before));
    expect(after).toContain('working part partial');
    await old.register();
    expect(await arrows('grows')).toEqual(after);
    const { rows } = await database.admin.query(`select version from engine.pipelines where pipeline = 'grows'`);
    expect(rows).toEqual([{ version: 2 }]);
  });

  it('that contradict what is there are refused, and nothing of them is kept', async () => {
    await register(first('firm'));
    const other = machine('firm', {
      queued: { phase: 'waiting', stage: 'work', on: { claim: 'working', fail: 'failed' } },
      working: { phase: 'active', stage: 'work', on: { complete: 'failed', fail: 'failed', release: 'queued' } },
      failed: { phase: 'failed' },
      unheard_of: { phase: 'done' },
    });
    const refused = await register(other).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(MillraceError);
    expect((refused as MillraceError).code).toBe('machine_conflict');
    const { rows } = await database.admin.query(
      `select from engine.states where pipeline = 'firm' and status = 'unheard_of'`,
    );
    expect(rows).toHaveLength(0);
  });

  it('are registered by ten processes at once without a quarrel', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => register(second('crowd'))));
    expect(made).toHaveLength(10);
    expect(await arrows('crowd')).toHaveLength(6);
  });

  it('are guarded in the database: a move without an arrow is refused, whoever tries', async () => {
    const engine = await register(first('guarded'));
    const tenantId = newTenant();
    const { id } = await engine.enqueue({ pipeline: 'guarded', tenantId, input: {} });
    const move = (status: string, phase: string) =>
      database.admin.query(
        `update engine.runs set status = $2, phase = $3, receipt = '{"read": 0}', finished_at = case when $3 = 'done' then engine.now() end where id = $1`,
        [id, status, phase],
      );
    await expect(move('completed', 'done')).rejects.toMatchObject({ code: 'MR001' });
    // A phase that does not belong to the status is no better.
    await expect(move('working', 'waiting')).rejects.toMatchObject({ code: 'MR001' });
    expect((await engine.run(tenantId, id)).status).toBe('queued');
  });

  it('let an old process leave runs alone that stand in a state only the new one knows', async () => {
    const name = 'newer';
    const old = await register(first(name));
    const tenantId = newTenant();
    const { id } = await old.enqueue({ pipeline: name, tenantId, input: {} });
    const grown = machine(
      name,
      {
        queued: { phase: 'waiting', stage: 'work', on: { claim: 'working', fail: 'failed', skip: 'checked' } },
        working: { phase: 'active', stage: 'work', on: { complete: 'completed', fail: 'failed', release: 'queued' } },
        checked: { phase: 'waiting', stage: 'check', on: { claim: 'checking', fail: 'failed' } },
        checking: {
          phase: 'active',
          stage: 'check',
          on: { complete: 'completed', fail: 'failed', release: 'checked' },
        },
        completed: { phase: 'done' },
        failed: { phase: 'failed' },
      },
      2,
    );
    const young = await register(grown);
    await database.admin.query(`update engine.runs set status = 'checked' where id = $1`, [id]);
    await old.start();
    const other = await old.enqueue({ pipeline: name, tenantId, input: {} });
    await waitFor(async () => (await old.run(tenantId, other.id)).phase === 'done', { what: 'the old one to work' });
    expect((await old.run(tenantId, id)).phase).not.toBe('failed');
    await old.stop();
    await young.start();
    await waitFor(async () => (await young.run(tenantId, id)).phase === 'done', { what: 'the new one to work' });
  });
});
