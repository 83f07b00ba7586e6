// The doctor's question about sources: is there one that cannot be looked through, or whose queue is not heard?
import type { Finding } from '../../../cli/doctor/finding.ts';
import { becomeRole } from '../../../engine/sql/become-role.ts';
import type { Queryable } from '../../../platform/database.ts';
import { listTroubled, type TroubledSource } from '../sql/watch-sources.ts';
import { SERVICES_ROLE } from '../stale-watch.ts';

const SHOWN = 10;

export async function checkSources(db: Queryable): Promise<Finding> {
  const check = 'sources';
  const troubled = await asServices(db);
  if (troubled.length === 0)
    return { check, state: 'ok', detail: 'every source was looked through, and every queue is heard' };
  return {
    check,
    state: 'warn',
    detail: troubled.map(describe).join('; '),
    fix: '"millrace sources show SOURCE" says what is wrong; its next successful sync, or message, ends this.',
  };
}

function describe({ name, last_error_code: failed, queue_error_code: unheard }: TroubledSource): string {
  const faults = [
    failed === null ? undefined : `its last sync failed (${failed})`,
    unheard === null ? undefined : `its queue is not heard (${unheard})`,
  ];
  return `${name}: ${faults.filter((fault) => fault !== undefined).join(', ')}`;
}

/** Roles last as long as the transaction; nothing is changed. */
async function asServices(db: Queryable): Promise<TroubledSource[]> {
  await db.query('begin read only');
  try {
    await becomeRole(db, SERVICES_ROLE);
    return await listTroubled(db, SHOWN);
  } finally {
    await db.query('rollback');
  }
}
