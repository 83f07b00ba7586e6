// What is wrong with one schedule is that schedule's trouble alone: it is refused when saved, set aside when it is found in the table,
// passed over or tried again later, and no other waits for it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setClockOffset, useDatabase } from '../../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../../test/support/engine.ts';
import type { Queryable } from '../../platform/database.ts';
import { silentLog } from '../../platform/log.ts';
import { fireDueSchedules } from './scheduler.ts';

const database = useDatabase();
let engine: Awaited<ReturnType<typeof buildEngine>>;
let tenantId: string;
let gateOf: (tx: Queryable) => Promise<void>;

beforeEach(async () => {
  tenantId = newTenant();
  gateOf = async () => {};
  engine = await buildEngine(database.appUrl, [
    buildPipeline('plain', async () => 'complete'),
    buildPipeline('gated', async () => 'complete', {
      gate: async (tx) => {
        await gateOf(tx);
        return { fire: true };
      },
    }),
  ]);
});

afterEach(async () => {
  await setClockOffset(database.admin, '0');
  await database.admin.query('delete from engine.schedules');
  await engine.close();
});

const save = (name: string, more: Partial<Parameters<typeof engine.saveSchedule>[0]> = {}) =>
  engine.saveSchedule({ tenantId, name, pipeline: 'plain', cron: '* * * * *', ...more });
const fire = () => fireDueSchedules(engine.pools.control, engine.registry, silentLog);
const spoil = (name: string, change: string) =>
  database.admin.query(`update engine.schedules set ${change} where name = $1`, [name]);
const fired = async () => {
  const { rows } = await database.admin.query<{ source_id: string }>(
    'select source_id from engine.runs where tenant_id = $1 order by source_id',
    [tenantId],
  );
  return rows.map((row) => row.source_id);
};
const named = async (name: string) => (await engine.listSchedules(tenantId)).find((each) => each.name === name);

describe('a schedule that could never fire', () => {
  it.each([
    ['a cron that is none', { cron: 'whenever' }],
    ['a cron of six fields', { cron: '0 0 6 * * *' }],
    ['a cron that never comes', { cron: '0 0 30 2 *' }],
    ['a time zone that is none', { timeZone: 'Mars/Olympus' }],
    ['a jitter below nothing', { jitterSeconds: -1 }],
    ['a first moment that is no time', { nextAt: new Date(Number.NaN) }],
    ['an input the server cannot store', { input: { text: 'a\u0000b' } }],
    ['a name the server cannot store', { name: 'a\u0000b' }],
    ['a name that leaves no room for its key', { name: 'n'.repeat(401) }],
  ])('is refused with %s, also when its first moment is given', async (_, wrong) => {
    const nextAt = new Date(Date.now() + 500);
    await expect(save('wrong', { nextAt, ...wrong })).rejects.toMatchObject({ code: 'schedule_invalid' });
    expect(await engine.listSchedules(tenantId)).toEqual([]);
  });

  it.each([
    ['its cron', `cron = 'whenever'`],
    ['its time zone', `time_zone = 'Mars/Olympus'`],
  ])('and stands in the table all the same (%s) is set aside with its reason; the others fire', async (_, change) => {
    await save('bad');
    await save('good');
    await spoil('bad', `${change}, next_at = next_at - interval '1 day'`);
    await setClockOffset(database.admin, '2 minutes');
    await fire();
    expect(await fired()).toEqual(['schedule:good']);
    expect(await named('bad')).toMatchObject({ set_aside_at: expect.any(Date), trouble_code: 'schedule_invalid' });
    expect(await named('good')).toMatchObject({ set_aside_at: null, trouble_code: null });
    expect(await fire()).toBe(0);
  });

  it('fires again once it is saved with one that exists', async () => {
    await save('bad');
    await spoil('bad', `cron = 'whenever'`);
    await setClockOffset(database.admin, '2 minutes');
    await fire();
    expect(await fired()).toEqual([]);
    await save('bad', { nextAt: new Date() });
    expect(await fire()).toBe(1);
    expect(await fired()).toEqual(['schedule:bad']);
    expect(await named('bad')).toMatchObject({ set_aside_at: null, trouble_code: null });
  });
});

describe('a schedule whose firing fails', () => {
  it('in the database is tried again later, ever more rarely, and keeps no other from its moment', async () => {
    gateOf = async (tx) => {
      await tx.query('select 1 / 0');
    };
    await save('broken', { pipeline: 'gated' });
    await save('sound');
    await spoil('broken', `next_at = next_at - interval '1 day'`);
    await setClockOffset(database.admin, '2 minutes');
    await fire();
    expect(await fired()).toEqual(['schedule:sound']);
    expect(await named('broken')).toMatchObject({ trouble_code: 'internal', set_aside_at: null });
    const waits = await database.admin.query(
      `select tries, not_before > engine.now() as waits, next_at < engine.now() as keeps_its_moment from engine.schedules where name = 'broken'`,
    );
    expect(waits.rows).toEqual([{ tries: 1, waits: true, keeps_its_moment: true }]);
    gateOf = async () => {};
    await setClockOffset(database.admin, '3 minutes');
    await fire();
    expect(await fired()).toEqual(['schedule:broken', 'schedule:sound', 'schedule:sound']);
    expect(await named('broken')).toMatchObject({ trouble_code: null });
  });

  it('because somebody holds a lock waits by itself', async () => {
    const holder = await database.admin.connect();
    await holder.query('create table if not exists held (n int); grant select on held to millrace_engine');
    await holder.query('begin; lock table held in access exclusive mode');
    gateOf = async (tx) => {
      await tx.query('select from held');
    };
    await save('hanging', { pipeline: 'gated' });
    await save('sound');
    await setClockOffset(database.admin, '2 minutes');
    await fire();
    await holder.query('rollback');
    holder.release();
    expect(await fired()).toEqual(['schedule:sound']);
    expect(await named('hanging')).toMatchObject({ trouble_code: 'transaction_conflict' });
  });

  it('because its pipeline does not take its input any more goes on to its next moment and says why', async () => {
    await save('spoiled');
    await save('sound');
    await spoil('spoiled', `input = '"no object"'`);
    await setClockOffset(database.admin, '2 minutes');
    await fire();
    expect(await fired()).toEqual(['schedule:sound']);
    expect(await named('spoiled')).toMatchObject({ trouble_code: 'input_invalid', set_aside_at: null });
  });
});
