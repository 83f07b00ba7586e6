// The ads machine. An upload is parsed into staging, passes the gate, and is promoted.
import { machine } from '../../states/machine.ts';

// pending           accepted, its file is stored; a worker claims it
// processing        rows are read, validated and staged; the parse stage passes it on or the gate fails it
// staging_complete  every row is staged and the gate is passed; a worker claims it for promotion
// promoting         rows are written to the production tables
// completed         every valid row is promoted
// partial           rows are promoted, but a valid one failed or the gate was overridden
// failed            nothing more happens; a retry is a new upload linked to this one
export const ads = machine(
  'ads',
  {
    pending: { phase: 'waiting', stage: 'parse', on: { claim: 'processing', fail: 'failed' } },
    processing: {
      phase: 'active',
      stage: 'parse',
      // ask: how to read the file is in doubt; it waits, held, for an answer.
      on: { pass: 'staging_complete', fail: 'failed', release: 'pending', ask: 'pending' },
    },
    staging_complete: { phase: 'waiting', stage: 'promote', on: { claim: 'promoting', fail: 'failed' } },
    promoting: {
      phase: 'active',
      stage: 'promote',
      on: { complete: 'completed', part: 'partial', fail: 'failed', release: 'staging_complete' },
    },
    completed: { phase: 'done' },
    partial: { phase: 'done' },
    failed: { phase: 'failed' },
  },
  2,
  [
    '`pending → failed` (`fail`): the file is lost, or the run is cancelled while it waits. The drawing of the specification has the arrow, its table has not.',
    '`processing → pending` and `promoting → staging_complete` (`release`): takeover, drain or a planned retry; the stage goes on from its checkpoint.',
    '`processing → pending` (`ask`): how to read the file is in doubt. The run waits, held, until somebody answers or DOUBT_TIMEOUT_HOURS is over.',
    '`staging_complete → failed` (`fail`): also a cancel while it waits for promotion. The gate itself fails a run on its way out of `processing`.',
  ],
);
