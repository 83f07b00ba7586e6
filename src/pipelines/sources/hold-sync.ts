// The fence around what a sync does outside its own commits. A worker that was frozen may have lost its sync meanwhile: it must not bring in an older
// content behind the newer one, nor take away what has come back.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { lockLease } from '../../engine/sql/fence.ts';
import type { StageRun } from '../../engine/stage-context.ts';
import type { Queryable } from '../../platform/database.ts';

/** Until the transaction ends nobody else can take the sync over; throws if somebody has. */
export function holdSync(run: StageRun): (tx: Queryable) => Promise<void> {
  return async (tx) => {
    if ((await lockLease(tx, run)) === undefined)
      throw new MillraceError('lease_lost', { run: run.id, attempt: run.attempt });
  };
}
