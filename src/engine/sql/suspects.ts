// Suspects: runs that lost their worker several times in the stage they stand in. Told from the ledger alone, so that a run
// that is held, released or retried in between stays one.
import { SOLO_FROM_LOSSES } from '../settings.ts';

/** An SQL expression over a run's failures and the stage it waits for. */
export function isSuspect(failures: string, stage: string): string {
  return `coalesce((${failures} ->> ('lost:' || ${stage}))::int, 0) >= ${SOLO_FROM_LOSSES}`;
}
