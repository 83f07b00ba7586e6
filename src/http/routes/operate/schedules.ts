// GET /v1/schedules: one for each connector, and whatever else a tenant has planned.

import { listSchedules as selectSchedules } from '../../../engine/reads/read-tenant-figures.ts';
import { handle } from '../../call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../cursor.ts';
import { wire } from '../../wire.ts';
import { look } from '../change.ts';

export const listSchedules = handle('operate.schedules', async (call) => {
  const { after, limit } = call.query;
  const cursor = readCursor(after, shapes.uuid);
  const rows = await look(call, (db, tenantId) => selectSchedules(db, tenantId, cursor?.[0] ?? null, limit + 1));
  const page = pageOf(rows, limit, (row) => writeCursor(row.schedule_id));
  return { data: page.data.map(({ schedule_id: _, ...row }) => wire(row)), next: page.next };
});
