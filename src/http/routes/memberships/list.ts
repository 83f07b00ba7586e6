// GET /v1/memberships
import { listMemberships as selectMemberships } from '../../../access/sql/list-memberships.ts';
import { handle } from '../../call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../cursor.ts';
import { wirePage } from '../../wire.ts';
import { look } from '../change.ts';

export const listMemberships = handle('memberships.list', async (call) => {
  const { limit, after } = call.query;
  const cursor = readCursor(after, shapes.uuid);
  const rows = await look(call, (db, tenantId) => selectMemberships(db, tenantId, cursor?.[0] ?? null, limit + 1));
  return wirePage(pageOf(rows, limit, (row) => writeCursor(row.membership_id)));
});
