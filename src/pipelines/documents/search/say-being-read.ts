// Where nothing was found it may still come: documents that were taken and are not served yet.
import { inTenant } from '../../../access/tenant-session.ts';
import type { Pool } from '../../../platform/database.ts';
import { countBeingRead } from '../sql/count-being-read.ts';

const LOOKED_AT = 300;

export async function sayBeingRead(pool: Pool, tenantId: string): Promise<string[]> {
  const count = await inTenant(pool, tenantId, (db) => countBeingRead(db, tenantId, LOOKED_AT), { readOnly: true });
  if (count === 0) return [];
  return [
    count === 1
      ? 'One document is still being read: it can be found once it is served.'
      : `${count} documents are still being read: they can be found once they are served.`,
  ];
}
