import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from '../../test/support/code-of.ts';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { nextRevision } from './actions.ts';
import type { StageContext } from './stage-context.ts';

const database = useDatabase();
type TestEngine = Awaited<ReturnType<typeof buildEngine>>;
let engine: TestEngine;
let tenantId: string;
/** What the stage of the next run does. */
let behave: (context: StageContext<Record<string, unknown>>) => Promise<string>;

beforeEach(async () => {
  tenantId = newTenant();
  behave = async () => 'complete';
  engine = await buildEngine(database.appUrl, [buildPipeline('plain', (context) => behave(context))]);
});

afterEach(async () => {
  await engine.close();
});

const by = () => ({ tenantId, by: 'tester' });
const enqueue = (more = {}) => engine.enqueue({ pipeline: 'plain', tenantId, input: {}, ...more });
const read = (id: string) => engine.run(tenantId, id);

function phase(id: string, wanted: string) {
  return waitFor(async () => ((await read(id)).phase === wanted ? true : undefined), { what: `${id} to be ${wanted}` });
}

/** A run that has failed, or become a dead letter. */
async function ended(kind: 'failed' | 'dead', more = {}): Promise<string> {
  behave = async () => {
    throw kind === 'dead' ? new MillraceError('unauthenticated') : new TypeError('a bug');
  };
  await engine.start();
  const { id } = await enqueue(more);
  await phase(id, kind);
  return id;
}

describe('a waiting run', () => {
  it('can be held and says by whom, is claimed by nobody, and goes on when resumed', async () => {
    const { id } = await enqueue();
    await engine.hold(by(), id);
    expect(await read(id)).toMatchObject({ phase: 'waiting', held_by: 'tester' });
    expect((await engine.why(await read(id)))?.reason).toBe('held');
    expect(await codeOf(engine.hold(by(), id))).toBe('event_illegal');
    await engine.start();
    const { id: other } = await enqueue();
    await phase(other, 'done');
    expect((await read(id)).phase).toBe('waiting');
    await engine.resume(by(), id);
    await phase(id, 'done');
    expect((await read(id)).held_by).toBeNull();
  });

  it('that is planned for later can be held, and is due at once when resumed', async () => {
    const { id } = await enqueue({ availableAt: new Date(Date.now() + 3_600_000) });
    await engine.hold(by(), id);
    await engine.resume(by(), id);
    await engine.start();
    await phase(id, 'done');
    expect(await read(id)).toMatchObject({ status: 'completed', attempt: 1 });
  });

  it.each(['queued', 'planned', 'held'])(
    'that is %s is cancelled at once, with one terminal event and no attempt',
    async (how) => {
      const { id } = await enqueue(how === 'planned' ? { availableAt: new Date(Date.now() + 3_600_000) } : {});
      if (how === 'held') await engine.hold(by(), id);
      expect(await engine.cancel(by(), id)).toBe('cancelled');
      expect(await read(id)).toMatchObject({ phase: 'failed', error_code: 'run_cancelled', attempt: 0, held_by: null });
      const { rows } = await database.admin.query(
        `select (select array_agg(type) from engine.events where run_id = $1) as events,
              (select count(*)::int from engine.ready where run_id = $1) + (select count(*)::int from engine.scheduled where run_id = $1) as queued`,
        [id],
      );
      expect(rows).toEqual([{ events: ['run.failed'], queued: 0 }]);
      expect(await codeOf(engine.cancel(by(), id))).toBe('event_illegal');
    },
  );
});

describe('an active run', () => {
  it('is cancelled through its signal, and writes nothing more', async () => {
    let refused = '';
    behave = async (context) => {
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }));
      refused = await codeOf(context.commit(async () => {}));
      return 'complete';
    };
    await engine.start();
    const { id } = await enqueue();
    await phase(id, 'active');
    await engine.cancel(by(), id);
    await phase(id, 'failed');
    await waitFor(() => refused !== '', { what: 'the stage to be refused' });
    expect(['run_cancelled', 'lease_lost']).toContain(refused);
    const { rows } = await database.admin.query('select outcome from engine.attempts where run_id = $1', [id]);
    expect(rows).toEqual([{ outcome: 'cancelled' }]);
  });

  it('is asked to stop, not cut off, while its effects transaction is open', async () => {
    let answer: Promise<string> | undefined;
    behave = async (context) => {
      await context.commit(async () => {
        answer = engine.cancel(by(), context.run.id);
        await answer;
      });
      await context.commit(async () => {});
      return 'complete';
    };
    await engine.start();
    const { id } = await enqueue();
    await phase(id, 'failed');
    expect(await answer).toBe('requested');
    expect(await read(id)).toMatchObject({ error_code: 'run_cancelled' });
  });

  it('cannot be held, resumed or retried', async () => {
    behave = (context) => new Promise((resolve) => context.signal.addEventListener('abort', () => resolve('complete')));
    await engine.start();
    const { id } = await enqueue();
    await phase(id, 'active');
    expect(await codeOf(engine.hold(by(), id))).toBe('event_illegal');
    expect(await codeOf(engine.resume(by(), id))).toBe('event_illegal');
    expect(await codeOf(engine.retry(by(), id))).toBe('event_illegal');
    await engine.cancel(by(), id);
  });
});

describe('a finished run', () => {
  it('makes one new run of two clicks on retry, linked to it, with its input', async () => {
    const id = await ended('failed', { input: { file: 'june.csv' }, uniqueKey: 'june' });
    behave = async () => 'complete';
    const clicks = await Promise.all([engine.retry(by(), id), engine.retry(by(), id)]);
    expect(clicks[0]?.id).toBe(clicks[1]?.id);
    expect(clicks.filter((click) => click.created)).toHaveLength(1);
    const successor = clicks[0]?.id ?? '';
    await phase(successor, 'done');
    expect(await read(successor)).toMatchObject({ retry_of: id, input: { file: 'june.csv' }, unique_key: 'june#r2' });
    expect((await read(id)).phase).toBe('failed');
  });

  it('that is a dead letter is requeued once, linked both ways, and leaves the list', async () => {
    const id = await ended('dead');
    const listed = () => database.admin.query('select id from engine.dead_letters where id = $1', [id]);
    expect((await listed()).rows).toHaveLength(1);
    behave = async () => 'complete';
    const successor = await engine.requeue(by(), id, 'ticket-7');
    expect(await read(id)).toMatchObject({ requeued_as: successor, phase: 'dead' });
    expect(await read(successor)).toMatchObject({ retry_of: id, correlation_id: 'ticket-7' });
    expect((await listed()).rows).toHaveLength(0);
    expect(await codeOf(engine.requeue(by(), id, 'ticket-8'))).toBe('run_already_retried');
  });

  it('that only failed is no dead letter', async () => {
    expect(await codeOf(engine.requeue(by(), await ended('failed'), 'x'))).toBe('not_a_dead_letter');
  });

  it('that is done cannot be cancelled or retried', async () => {
    await engine.start();
    const { id } = await enqueue();
    await phase(id, 'done');
    expect(await codeOf(engine.cancel(by(), id))).toBe('event_illegal');
    expect(await codeOf(engine.retry(by(), id))).toBe('event_illegal');
  });
});

describe('actions', () => {
  it('find nothing of another tenant', async () => {
    const { id } = await enqueue();
    const stranger = { tenantId: newTenant(), by: 'stranger' };
    for (const act of [engine.hold, engine.resume, engine.cancel, engine.retry])
      expect(await codeOf(act(stranger, id))).toBe('run_not_found');
    expect(await read(id)).toMatchObject({ phase: 'waiting', held_by: null });
  });

  it('on many act only on as many as were shown', async () => {
    await engine.enqueueMany(Array.from({ length: 25 }, () => ({ pipeline: 'plain', tenantId, input: {} })));
    const filter = { tenantId, pipeline: 'plain' };
    expect(await engine.previewBulk(filter, 'cancel')).toBe(25);
    await enqueue();
    expect(await codeOf(engine.actOnMany(by(), filter, 'cancel', 25))).toBe('bulk_count_changed');
    expect(await engine.previewBulk({ ...filter, phase: 'failed' }, 'cancel')).toBe(0);
    expect(await engine.actOnMany(by(), filter, 'cancel', 26)).toEqual({ matched: 26, done: 26, skipped: 0 });
    expect(await engine.previewBulk(filter, 'retry')).toBe(26);
    expect(await engine.actOnMany(by(), filter, 'retry', 26)).toEqual({ matched: 26, done: 26, skipped: 0 });
    expect(await engine.previewBulk(filter, 'retry')).toBe(0);
  });

  it('pause a pipeline or one lane of it until it is lifted; what runs, finishes', async () => {
    await engine.pause('plain', 'tester', tenantId);
    await engine.start();
    const { id } = await enqueue();
    const other = newTenant();
    const free = await engine.enqueue({ pipeline: 'plain', tenantId: other, input: {} });
    await waitFor(async () => (await engine.run(other, free.id)).phase === 'done', { what: 'the other lane' });
    expect((await engine.why(await read(id)))?.reason).toBe('paused');
    expect(await engine.unpause('plain', tenantId)).toBe(true);
    await phase(id, 'done');
    expect(await engine.unpause('plain', tenantId)).toBe(false);
  });
});

describe('the key of a retry', () => {
  it('is the next revision of the key it retries', () => {
    expect(nextRevision('june')).toBe('june#r2');
    expect(nextRevision('june#r2')).toBe('june#r3');
    expect(nextRevision('a\nb#r9')).toBe('a\nb#r10');
  });
});
