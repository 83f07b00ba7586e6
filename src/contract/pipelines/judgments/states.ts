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
);
