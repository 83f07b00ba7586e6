// The sources machine: one sync of one source, from the wish to its receipt.
import { machine } from '../../states/machine.ts';

// queued     asked for by a person, the schedule or the place itself; a worker claims it
// syncing    objects are listed, compared with what was seen before, stored and accepted
// synced     every object has its fate, and the listing was complete
// partial    the same, but objects were refused or could not be read
// failed     the place could not be listed to its end, or a person cancelled the sync; what was accepted stays, the next sync looks again
export const sources = machine('sources', {
  queued: { phase: 'waiting', stage: 'sync', on: { claim: 'syncing', fail: 'failed' } },
  syncing: {
    phase: 'active',
    stage: 'sync',
    // ask: much has vanished; it waits, held, for an answer.
    on: {
      complete: 'synced',
      part: 'partial',
      fail: 'failed',
      release: 'queued',
      ask: 'queued',
    },
  },
  synced: { phase: 'done' },
  partial: { phase: 'done' },
  failed: { phase: 'failed' },
});
