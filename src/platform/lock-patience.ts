// What changes tables at a start never waits long for a lock: every later statement would queue behind it. It gives up and tries again.
import { sqlStateOf } from './database-errors.ts';
import { waitAtMost } from './wait.ts';

export interface Patience {
  readonly lockTimeoutMs: number;
  readonly tries: number;
  readonly pauseMs: number;
}

export const defaultPatience: Patience = { lockTimeoutMs: 3_000, tries: 20, pauseMs: 2_000 };

const lockNotAvailable = '55P03';
const deadlockDetected = '40P01';

export interface PatientWork {
  /** One try; it sets the lock timeout itself and leaves nothing open when it fails. */
  readonly attempt: () => Promise<void>;
  /** Others held the lock; it is tried again after a pause. */
  readonly onWait: (made: number) => void;
  /** The last try met the lock, too: what to end with. */
  readonly gaveUp: (cause: unknown) => Error;
}

export async function tryPatiently({ tries, pauseMs }: Patience, work: PatientWork): Promise<void> {
  for (let made = 1; ; made += 1) {
    try {
      return await work.attempt();
    } catch (error) {
      if (![lockNotAvailable, deadlockDetected].includes(sqlStateOf(error) ?? '')) throw error;
      if (made === tries) throw work.gaveUp(error);
      work.onWait(made);
      await waitAtMost(pauseMs);
    }
  }
}
