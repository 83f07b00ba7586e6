// A run that asks is held without a worker, goes on with its answer, and ends when it is refused or nobody answers in time.
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { setClockOffset, useDatabase } from '../../test/support/database.ts';
import { buildEngine, endOfRun, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { machine } from '../contract/states/machine.ts';
import { definePipeline, type StageOutcome } from './pipeline.ts';
import type { Question } from './question.ts';
import { findOpenQuestion, listOpenQuestions } from './sql/questions.ts';
import type { StageContext } from './stage-context.ts';

type Engine = Awaited<ReturnType<typeof buildEngine>>;

const database = useDatabase();
const engines: Engine[] = [];
afterEach(async () => {
  await setClockOffset(database.admin, '0');
  for (const engine of engines.splice(0)) await engine.close();
});

const asking = machine('asking', {
  pending: { phase: 'waiting', stage: 'work', on: { claim: 'working', fail: 'failed' } },
  working: {
    phase: 'active',
    stage: 'work',
    on: { complete: 'done', fail: 'failed', release: 'pending', ask: 'pending' },
  },
  done: { phase: 'done' },
  failed: { phase: 'failed' },
});

const question: Question = {
  code: 'reading_doubtful',
  text: 'Red or blue?',
  details: { doubts: [] },
  choices: [
    { choice: 'red', label: 'Red', data: { colour: 'red' } },
    { choice: 'refuse', label: 'Neither', refuses: true },
  ],
};

async function askOnce({ answers }: StageContext): Promise<StageOutcome> {
  const [answer] = await answers();
  if (answer === undefined) return { on: 'ask', ask: question };
  return { on: 'complete', receipt: { read: 0, answer: answer.data } };
}

async function start(work: (context: StageContext) => Promise<StageOutcome> = askOnce) {
  const input = z.record(z.string(), z.unknown());
  const engine = await buildEngine(database.appUrl, [
    definePipeline({ machine: asking, input, stages: { work }, laneCap: 1 }),
  ]);
  engines.push(engine);
  await engine.start();
  const actor = { tenantId: newTenant(), by: 'tester' };
  return { engine, actor };
}

async function ask({ engine, actor }: Awaited<ReturnType<typeof start>>) {
  const { id } = await engine.enqueue({ pipeline: 'asking', tenantId: actor.tenantId, input: {} });
  const asked = await waitFor(() => findOpenQuestion(engine.pools.control, actor.tenantId, id), {
    what: 'the run to ask',
  });
  return { id, questionId: asked.question_id };
}

function ended({ engine, actor }: Awaited<ReturnType<typeof start>>, id: string) {
  return endOfRun(engine, actor.tenantId, id);
}

describe('a run that asks', () => {
  it('waits held, without a lease and outside of its cap, says so, and goes on with the answer', async () => {
    const ground = await start();
    const { engine, actor } = ground;
    const first = await ask(ground);
    // A cap of one: the first would be in the way of the second if it held a place.
    const second = await ask(ground);
    const run = await engine.run(actor.tenantId, first.id);
    expect(run).toMatchObject({ phase: 'waiting', held_by: 'a question', wait_reason: { kind: 'question' } });
    expect(await engine.why(run)).toMatchObject({ reason: 'question' });
    const { rows } = await database.admin.query('select from engine.leases where run_id = any ($1)', [
      [first.id, second.id],
    ]);
    expect(rows).toEqual([]);
    const open = await listOpenQuestions(engine.pools.control, actor.tenantId, { after: null, limit: 10 });
    expect(open.map(({ run_id: id }) => id)).toEqual([first.id, second.id]);
    await expect(engine.resume(actor, first.id)).rejects.toMatchObject({ code: 'event_illegal' });
    await engine.answer(actor, first.questionId, 'red');
    expect(await ended(ground, first.id)).toMatchObject({ phase: 'done', receipt: { answer: { colour: 'red' } } });
    expect((await engine.run(actor.tenantId, second.id)).phase).toBe('waiting');
    await engine.answer(actor, second.questionId, 'red');
    const { rows: told } = await database.admin.query(
      `select type from engine.events where run_id = $1 and type in ('run.asked', 'run.done') order by event_id`,
      [first.id],
    );
    expect(told.map(({ type }) => type)).toEqual(['run.asked', 'run.done']);
  });

  it('is answered once, with one of its choices, by its own tenant', async () => {
    const ground = await start();
    const { engine, actor } = ground;
    const { questionId } = await ask(ground);
    await expect(engine.answer(actor, questionId, 'green')).rejects.toMatchObject({ code: 'answer_unknown' });
    const stranger = { tenantId: newTenant(), by: 'stranger' };
    await expect(engine.answer(stranger, questionId, 'red')).rejects.toMatchObject({ code: 'question_not_found' });
    await engine.answer(actor, questionId, 'red');
    await expect(engine.answer(actor, questionId, 'refuse')).rejects.toMatchObject({ code: 'question_closed' });
  });

  it('takes one of two answers that come at the same moment, tells the other person so, and does what was taken', async () => {
    const ground = await start();
    const { engine, actor } = ground;
    for (let round = 0; round < 5; round += 1) {
      const { id, questionId } = await ask(ground);
      const said = await Promise.allSettled(
        ['red', 'refuse'].map((choice) => engine.answer({ ...actor, by: `who says ${choice}` }, questionId, choice)),
      );
      const taken = said.findIndex(({ status }) => status === 'fulfilled');
      const late = said[1 - taken] as PromiseRejectedResult;
      expect([taken >= 0, late.status, late.reason?.code]).toEqual([true, 'rejected', 'question_closed']);
      const run = await ended(ground, id);
      expect(run).toMatchObject(
        taken === 0
          ? { phase: 'done', receipt: { answer: { colour: 'red' } } }
          : { phase: 'failed', error_code: 'reading_doubtful' },
      );
    }
  });

  it('is answered also when the process that asked is gone, and another one goes on with it', async () => {
    const before = await start();
    const { id, questionId } = await ask(before);
    await before.engine.close();
    engines.splice(engines.indexOf(before.engine), 1);
    const { engine } = await start();
    const after = { engine, actor: before.actor };
    await engine.answer(before.actor, questionId, 'red');
    expect(await ended(after, id)).toMatchObject({ phase: 'done', receipt: { answer: { colour: 'red' } } });
  });

  it('fails with the code of its question when it is refused', async () => {
    const ground = await start();
    const { id, questionId } = await ask(ground);
    await ground.engine.answer(ground.actor, questionId, 'refuse');
    expect(await ended(ground, id)).toMatchObject({ phase: 'failed', error_code: 'reading_doubtful' });
  });

  it('fails with the code of its question when nobody answers in time, and not before', async () => {
    const ground = await start();
    const { engine, actor } = ground;
    const { id, questionId } = await ask(ground);
    const another = await ask(ground);
    await setClockOffset(database.admin, '71 hours 59 minutes');
    const later = await ask(ground);
    expect((await engine.run(actor.tenantId, id)).phase).toBe('waiting');
    await setClockOffset(database.admin, '72 hours 1 minute');
    const run = await ended(ground, id);
    expect(run).toMatchObject({ phase: 'failed', error_code: 'reading_doubtful' });
    expect(run.error_text).toContain('Nobody answered in time');
    expect(await ended(ground, another.id)).toMatchObject({ phase: 'failed', error_code: 'reading_doubtful' });
    expect((await engine.run(actor.tenantId, later.id)).phase).toBe('waiting');
    await expect(engine.answer(actor, questionId, 'red')).rejects.toMatchObject({ code: 'question_closed' });
  });

  it('may be cancelled, and its question is no longer open', async () => {
    const ground = await start();
    const { engine, actor } = ground;
    const { id } = await ask(ground);
    expect(await engine.cancel(actor, id)).toBe('cancelled');
    expect(await findOpenQuestion(engine.pools.control, actor.tenantId, id)).toBeUndefined();
  });

  it('takes no answer once it was cancelled: nothing would come of it', async () => {
    const ground = await start();
    const { engine, actor } = ground;
    const { id, questionId } = await ask(ground);
    await engine.cancel(actor, id);
    const { status, error_code: code } = await engine.run(actor.tenantId, id);
    for (const choice of ['red', 'refuse'])
      await expect(engine.answer(actor, questionId, choice)).rejects.toMatchObject({ code: 'question_closed' });
    expect(await engine.run(actor.tenantId, id)).toMatchObject({ status, error_code: code });
    expect(code).not.toBe('reading_doubtful');
  });
});
