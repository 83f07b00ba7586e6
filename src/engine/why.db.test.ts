// A waiting run can always say why it waits, and the reason is the one that holds it up now.
import { afterEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { PipelineOptions } from './pipeline.ts';
import type { StageContext } from './stage-context.ts';

type Options = Partial<PipelineOptions<Record<string, unknown>>>;
type Work = (context: StageContext<Record<string, unknown>>) => Promise<string>;

const database = useDatabase();
const tenantId = newTenant();
const engines: Awaited<ReturnType<typeof buildEngine>>[] = [];

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

async function open(name: string, work: Work = async () => 'complete', options: Options = {}) {
  const engine = await buildEngine(database.appUrl, [buildPipeline(name, work, options)]);
  engines.push(engine);
  const add = async (more: object = {}) => (await engine.enqueue({ pipeline: name, tenantId, input: {}, ...more })).id;
  const why = async (id: string) => engine.why(await engine.run(tenantId, id));
  return { engine, add, why };
}

const untilStopped: Work = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('a waiting run says that', () => {
  it('no worker is alive for its pipeline', async () => {
    const { add, why } = await open('unmanned');
    expect(await why(await add())).toEqual({
      reason: 'no_worker',
      text: 'no worker is alive for pipeline "unmanned"',
    });
  });

  it('it is held, and by whom; that its pipeline is paused, and by whom', async () => {
    const { engine, add, why } = await open('kept_back');
    const [held, paused] = [await add(), await add()];
    await engine.hold({ tenantId, by: 'ada' }, held);
    await engine.pause('kept_back', 'grace');
    expect(await why(held)).toMatchObject({ reason: 'held', text: expect.stringMatching(/^held by ada since /) });
    expect(await why(paused)).toEqual({ reason: 'paused', text: 'pipeline "kept_back" is paused by grace' });
  });

  it('it is planned for later', async () => {
    const { add, why } = await open('planned');
    const until = new Date(Date.now() + 3_600_000);
    expect(await why(await add({ availableAt: until }))).toEqual({
      reason: 'later',
      until,
      text: `planned for ${until.toISOString()}`,
    });
  });

  it('it is tried again, for which time, when, and after what', async () => {
    const backoff = { baseMs: 600_000, factor: 1, maxMs: 600_000, jitter: 0 };
    const fail = async () => {
      throw new MillraceError('database_busy');
    };
    const { engine, add, why } = await open('unlucky', fail, { retry: { transient: { max: 5, backoff } } });
    await engine.start();
    const id = await add();
    const reason = await waitFor(async () => {
      const found = await why(id);
      return found?.reason === 'retry' ? found : undefined;
    });
    expect(reason.text).toMatch(/^retry 1 of 5 at \S+, after database_busy$/);
    expect(reason.until?.getTime()).toBeGreaterThan(Date.now() + 500_000);
  });

  it('the cap of its lane is reached, and how many runs come before it', async () => {
    const { engine, add, why } = await open('narrow', untilStopped, { laneCap: 1 });
    await engine.start();
    const [first, second] = [await add(), await add()];
    await waitFor(async () => (await engine.run(tenantId, first)).phase === 'active');
    expect(await why(first)).toBeNull();
    expect(await why(second)).toEqual({ reason: 'cap', text: 'cap 1/1 of its lane is reached' });
  });
});
