// The syncs machine: one Airbyte sync, from the trigger to its end. The words are those of the ingestion_jobs model.
import { machine } from './machine.ts';

// queued       accepted; a worker claims it
// running      triggered at Airbyte, or about to be; the worker polls until Airbyte has finished
// failed       the last try failed and the next one is planned; a worker claims it when its time has come
// dead_letter  not tried again by itself: credential refused, retries used up, or cancelled; support may requeue it
// success      Airbyte reports that the sync succeeded
export const syncs = machine('syncs', {
  queued: { phase: 'waiting', stage: 'sync', on: { claim: 'running', fail: 'dead_letter' } },
  running: {
    phase: 'active',
    stage: 'sync',
    on: { complete: 'success', retry: 'failed', release: 'queued', dead: 'dead_letter', fail: 'dead_letter' },
  },
  failed: { phase: 'waiting', stage: 'sync', on: { claim: 'running', fail: 'dead_letter' } },
  dead_letter: { phase: 'dead' },
  success: { phase: 'done' },
});
