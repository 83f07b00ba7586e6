// The documents machine, in the four words of the specification.
import { machine } from '../../states/machine.ts';

// queued     accepted, its file is stored; a worker claims it
// running    a worker reads pages, makes chunks, embeds passages and activates the version; a lost worker's run goes back to queued
// succeeded  the version is ready: served, or kept beside a newer one
// failed     nothing of it is served; a retry is a new run in the ledger, shown under the id of the first
export const documents = machine(
  'documents',
  {
    queued: { phase: 'waiting', stage: 'process', on: { claim: 'running', fail: 'failed' } },
    running: {
      phase: 'active',
      stage: 'process',
      on: { complete: 'succeeded', fail: 'failed', release: 'queued' },
    },
    succeeded: { phase: 'done' },
    failed: { phase: 'failed' },
  },
  1,
  [
    '`queued → failed` (`fail`): the run is cancelled while it waits, or could not be delegated to a worker.',
    '`running → queued` (`release`): takeover, drain or a planned retry; finished pages are not read again.',
  ],
);
