// GET /v1/schedules
import { handle } from '../../call.ts';
import { listSchedules as selectSchedules } from '../../sql/read-tenant-figures.ts';
import { wire } from '../../wire.ts';
import { look } from '../change.ts';

export const listSchedules = handle('operate.schedules', async (call) => {
  const rows = await look(call, selectSchedules);
  return { data: rows.map(wire) };
});
