// GET /v1/runs/:run_id/events/stream
import { handle } from '../../call.ts';
import { streamEvents } from '../../live/event-stream.ts';
import { requireVisibleRun } from '../../run-views/show-run.ts';
import { look } from '../change.ts';

export const liveRunStream = handle('live.run-stream', async (call) => {
  const { run_id: runId } = call.params;
  await look(call, (db) => requireVisibleRun(db, call.principal, runId));
  return streamEvents(call, runId);
});
