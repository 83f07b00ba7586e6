// GET /v1/users
import { listUsers as selectUsers } from '../../../access/sql/list-users.ts';
import { handle } from '../../call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../cursor.ts';
import { wirePage } from '../../wire.ts';
import { look } from '../change.ts';

export const listUsers = handle('users.list', async (call) => {
  const { limit, after } = call.query;
  const cursor = readCursor(after, shapes.uuid);
  const rows = await look(call, (db, tenantId) => selectUsers(db, tenantId, cursor?.[0] ?? null, limit + 1));
  return wirePage(pageOf(rows, limit, (row) => writeCursor(row.user_id)));
});
