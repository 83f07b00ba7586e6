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
  [
    '`cancelled`: the specification has no word for a sync that a person ended. As a dead letter it would count as a failure of the connector and wait for support for ever.',
    '`queued`, `running`, `failed → cancelled` (`cancel`): a sync can be cancelled wherever it stands; what it left at Airbyte is cancelled too.',
    '`running → queued` (`release`): takeover or drain. The job at Airbyte goes on and is adopted by the next attempt; no retry is used up.',
    '`running → failed` (`retry`) and `failed → running` (`claim`): the specification draws the retry as `failed → queued`. Here a planned retry stays `failed`, with its time, until a worker claims it.',
    '`running → dead_letter` (`fail`): an error that only a person can fix (configuration, input) is a dead letter at once, like a refused credential (`dead`).',
  ],
);
