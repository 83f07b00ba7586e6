// Looking at one object by its key. That it may not be looked at is the object's own trouble: the others of its sync are taken.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { PlacedObject } from '../../sources/place.ts';
import type { SyncJob } from './sync-state.ts';

/** As it is now; undefined: it is gone. */
export async function lookAtOne({ place, context }: SyncJob, key: string): Promise<PlacedObject | undefined> {
  try {
    return await place.look(key, context.signal);
  } catch (error) {
    if (!(error instanceof MillraceError) || error.code !== 'source_object_denied') throw error;
    return { key, bytes: 0, modifiedAt: null, mark: 'unseen', fault: error };
  }
}
