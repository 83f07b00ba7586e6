// The items machine. A job's file becomes rows, then its rows are processed in slices; its queue_state shows the specification's words.
import { machine } from '../../states/machine.ts';

// queued      accepted, its file is stored; a worker claims it
// ingesting   rows are read into the database; reprocessed jobs have theirs already
// ready       every row is stored; a worker claims it, now or when the earliest retry is due
// processing  slices of its rows are processed by one worker
// sharing     many rows are stored: several workers are wanted
// shared      several workers process slices of its rows, each on a part
// done        every row is DONE, NOT_FOUND, ERROR or SKIPPED
// failed      the file could not be read, or every row is ERROR; reprocessing is a new run of the same job
export const items = machine('items', {
  queued: { phase: 'waiting', stage: 'ingest', on: { claim: 'ingesting', fail: 'failed' } },
  ingesting: {
    phase: 'active',
    stage: 'ingest',
    // ask: how to read the file is in doubt; it waits, held, for an answer.
    on: { pass: 'ready', share: 'sharing', fail: 'failed', release: 'queued', ask: 'queued' },
  },
  ready: { phase: 'waiting', stage: 'process', on: { claim: 'processing', fail: 'failed' } },
  processing: { phase: 'active', stage: 'process', on: { complete: 'done', fail: 'failed', release: 'ready' } },
  sharing: { phase: 'waiting', stage: 'share', on: { claim: 'shared', fail: 'failed' } },
  shared: { phase: 'active', stage: 'share', on: { complete: 'done', fail: 'failed', release: 'sharing' } },
  done: { phase: 'done' },
  failed: { phase: 'failed' },
});
