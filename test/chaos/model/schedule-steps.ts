// Steps of schedules: saved, fired when their time has come, deleted. A firing makes its run once, however often it is tried.
import { saveSchedule } from '../../../src/engine/schedules.ts';
import { fireDueSchedules } from '../../../src/engine/services/scheduler.ts';
import { deleteSchedule } from '../../../src/engine/sql/schedules.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { type ModelSchedule, nextByMinutes } from './model.ts';
import { type Act, difference, note, pick } from './scene.ts';

const NAMES = ['dawn', 'noon', 'dusk'];

export const scheduleSteps = {
  saveSchedule: async ({ model, world, tenants }, [a, b, c]) => {
    const tenantId = pick(tenants, a) as string;
    const name = pick(NAMES, b) as string;
    const pipeline = c < 0.5 ? 'model_plain' : 'model_capped';
    const everyMinutes = b * 7 - Math.floor(b * 7) < 0.5 ? 1 : 5;
    const firstMs = a * 5 - Math.floor(a * 5) < 0.7 ? model.nowMs + Math.floor(c * 15_000) : undefined;
    await saveSchedule(world.pool, world.registry, {
      ...{ tenantId, name, pipeline, cron: `*/${everyMinutes} * * * *` },
      ...(firstMs === undefined ? {} : { nextAt: new Date(firstMs) }),
    });
    const nextMs = firstMs ?? nextByMinutes(model.nowMs, everyMinutes);
    model.schedules.set(`${tenantId}/${name}`, { tenantId, name, pipeline, everyMinutes, nextMs });
    return undefined;
  },

  fireSchedules: async (scene) => {
    const { model, world } = scene;
    const due = [...model.schedules.values()].filter(({ nextMs }) => nextMs <= model.nowMs);
    const wrong = difference(await fireDueSchedules(world.pool, world.registry, silentLog), due.length);
    if (wrong) return wrong;
    for (const schedule of due) {
      const failed = await followFiring(schedule);
      if (failed !== undefined) return failed;
    }
    return undefined;

    async function followFiring(schedule: ModelSchedule): Promise<string | undefined> {
      const { tenantId, name, pipeline, nextMs, everyMinutes } = schedule;
      const uniqueKey = `schedule:${name}:${new Date(nextMs).toISOString()}`;
      model.schedules.set(`${tenantId}/${name}`, { ...schedule, nextMs: nextByMinutes(model.nowMs, everyMinutes) });
      if (model.holder({ tenantId, pipeline, uniqueKey, activeKey: null }).length > 0) return undefined;
      const id = await world.idOf(tenantId, pipeline, uniqueKey);
      if (id === undefined) return `schedule ${name} made no run for ${uniqueKey}`;
      note(scene, 'schedules fired');
      model.add({ id, tenantId, pipeline, uniqueKey, priority: 0, activeKey: null, retryOf: null }, model.nowMs);
      return undefined;
    }
  },

  deleteSchedule: async ({ model, world }, [a]) => {
    const schedule = pick([...model.schedules.values()], a);
    if (!schedule) return undefined;
    model.schedules.delete(`${schedule.tenantId}/${schedule.name}`);
    return difference(await deleteSchedule(world.pool, schedule.tenantId, schedule.name), true);
  },
} as const satisfies Record<string, Act>;
