// The judgments machine. A batch is imported once; a failed one is intervened on by a new, linked batch.
import { machine } from '../../states/machine.ts';

// pending     accepted, its file is stored; a worker claims it
// processing  a worker reads, stages and stores its rows; a lost worker's batch goes back to pending
// completed   every row is stored or refused; nothing changes it any more
// failed      nothing more happens; a retry or a correction is a new batch revision linked to this one
export const judgments = machine(
  'judgments',
  {
    pending: { phase: 'waiting', stage: 'import', on: { claim: 'processing', fail: 'failed' } },
    processing: {
      phase: 'active',
      stage: 'import',
      // ask: how to read the file is in doubt; it waits, held, for an answer.
      on: { complete: 'completed', fail: 'failed', release: 'pending', ask: 'pending' },
    },
    completed: { phase: 'done' },
    failed: { phase: 'failed' },
  },
  2,
  [
    '`pending → failed` (`fail`): the batch is cancelled while it waits, or its question is not answered in time.',
    '`processing → pending` (`release`): beside the takeover of a silent worker also a drain or a planned retry.',
    '`processing → pending` (`ask`): how to read the file is in doubt. The batch waits, held, until somebody answers or DOUBT_TIMEOUT_HOURS is over.',
  ],
);
