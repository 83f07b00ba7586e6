// For the doctor, whose connection is the engine's: as the role that may see sources of all tenants, which lasts as long as a transaction.
import { becomeRole } from '../../../engine/sql/become-role.ts';
import type { Queryable } from '../../../platform/database.ts';
import { SERVICES_ROLE } from '../stale-watch.ts';
import { listTroubled, type TroubledSource } from './watch-sources.ts';

export async function readTroubled(db: Queryable, limit: number): Promise<TroubledSource[]> {
  await db.query('begin read only');
  try {
    await becomeRole(db, SERVICES_ROLE);
    return await listTroubled(db, limit);
  } finally {
    await db.query('rollback');
  }
}
