// A source at rest. Asked while the source is locked, the answer holds until the change is written: a sync that comes later waits for the lock.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { readHolders } from '../../engine/reads/read-runs.ts';
import type { Queryable } from '../../platform/database.ts';
import type { SourceRow } from './sql/sources.ts';

/** A sync at work goes by the settings it began with and would take in again what is ended here. */
export async function requireNoSync(
  db: Queryable,
  { tenant_id: tenantId, source_id: sourceId, name }: Pick<SourceRow, 'tenant_id' | 'source_id' | 'name'>,
): Promise<void> {
  const [live] = await readHolders(db, tenantId, 'sources', [sourceId]);
  if (live !== undefined) throw new MillraceError('source_busy', { name, run: live.id });
}
