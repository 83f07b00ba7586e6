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
);
