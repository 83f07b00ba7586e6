// GET /v1/audit
import { listAuditEntries } from '../../../access/sql/list-audit-entries.ts';
import { handle } from '../../call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../cursor.ts';
import { wirePage } from '../../wire.ts';
import { look } from '../change.ts';

export const listAudit = handle('operate.audit', async (call) => {
  const { limit, after, action, actor, since, until } = call.query;
  const cursor = readCursor(after, shapes.integer);
  const rows = await look(call, (db, tenantId) =>
    listAuditEntries(db, {
      tenantId,
      before: cursor?.[0] ?? null,
      actions: action?.split(',') ?? null,
      actorId: actor ?? null,
      since: since ?? null,
      until: until ?? null,
      limit: limit + 1,
    }),
  );
  return wirePage(pageOf(rows, limit, (row) => writeCursor(row.audit_id)));
});
