// A source is removed once its admin has said what becomes of what it brought. Its syncs and their receipts stay in the ledger.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { deleteSchedule } from '../../engine/sql/schedules.ts';
import { withTransaction } from '../../platform/database.ts';
import { requireNoSync } from './require-no-sync.ts';
import { countLeaving, endLeaving, type WhatBecomes } from './scope-change.ts';
import { asTenant, scheduleName } from './set-up.ts';
import { houseOf, type SourcesDeps } from './sources-deps.ts';
import { deleteSource, lockSource, type SourceRow } from './sql/sources.ts';

const nothingStays = () => false;

export async function removeSource(deps: SourcesDeps, source: SourceRow, what: WhatBecomes | undefined): Promise<void> {
  const { engine } = houseOf(deps);
  const { tenant_id: tenantId, source_id: sourceId } = source;
  await requireNoSync(engine.pools.control, source);
  if (what === undefined) {
    const count = await countLeaving(deps, source, nothingStays);
    if (count > 0) throw new MillraceError('source_removal_undecided', { count });
  } else {
    await endLeaving(deps, source, nothingStays, what);
  }
  await withTransaction(engine.pools.control, async (tx) => {
    // One that began since would take in again what was ended here.
    await asTenant(tx, tenantId, () => lockSource(tx, tenantId, sourceId, 'change'));
    await requireNoSync(tx, source);
    await deleteSchedule(tx, tenantId, scheduleName(sourceId));
    await asTenant(tx, tenantId, () => deleteSource(tx, tenantId, sourceId));
  });
}
