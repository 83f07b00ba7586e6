// GET /v1/clients
import { listClients as selectClients } from '../../../access/sql/list-clients.ts';
import { handle } from '../../call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../cursor.ts';
import { wirePage } from '../../wire.ts';
import { look } from '../change.ts';

export const listClients = handle('clients.list', async (call) => {
  const { limit, after } = call.query;
  const cursor = readCursor(after, shapes.uuid);
  const rows = await look(call, (db, tenantId) => selectClients(db, tenantId, cursor?.[0] ?? null, limit + 1));
  return wirePage(pageOf(rows, limit, (row) => writeCursor(row.client_id)));
});
