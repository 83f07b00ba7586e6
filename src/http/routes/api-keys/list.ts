// GET /v1/api-keys
import { listApiKeys as selectApiKeys } from '../../../access/sql/list-api-keys.ts';
import { handle } from '../../call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../cursor.ts';
import { wirePage } from '../../wire.ts';
import { look } from '../change.ts';

export const listApiKeys = handle('api-keys.list', async (call) => {
  const { limit, after } = call.query;
  const cursor = readCursor(after, shapes.uuid);
  const rows = await look(call, (db, tenantId) => selectApiKeys(db, tenantId, cursor?.[0] ?? null, limit + 1));
  return wirePage(pageOf(rows, limit, (row) => writeCursor(row.key_id)));
});
