// The syncs machine: one Airbyte sync, from the trigger to its end. The words are those of the ingestion_jobs model.
import { machine } from '../../states/machine.ts';

// queued       accepted; a worker claims it
// running      triggered at Airbyte, or about to be; the worker polls until Airbyte has finished
// failed       the last try failed and the next one is planned; a worker claims it when its time has come
// dead_letter  not tried again by itself: credential refused or retries used up; support may requeue it
// cancelled    a person ended it, here and at Airbyte, or its connector was removed
// success      Airbyte reports that the sync succeeded
export const syncs = machine(
  'syncs',
  {
    queued: { phase: 'waiting', stage: 'sync', on: { claim: 'running', cancel: 'cancelled' } },
    running: {
      phase: 'active',
      stage: 'sync',
      on: {
        complete: 'success',
        retry: 'failed',
        release: 'queued',
        dead: 'dead_letter',
        fail: 'dead_letter',
        cancel: 'cancelled',
      },
    },
    failed: { phase: 'waiting', stage: 'sync', on: { claim: 'running', cancel: 'cancelled' } },
    dead_letter: { phase: 'dead' },
    cancelled: { phase: 'failed' },
    success: { phase: 'done' },
  },
  2,
);
