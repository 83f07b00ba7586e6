// The stored form of the events that a stage emits. Names that begin with "run." belong to the engine: an event of a stage with such a name would
// conflict with the event of the run's end.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { EndedEvent } from './sql/end-attempts.ts';
import type { EmittedEvent, StageRun } from './stage-context.ts';

const RESERVED = /^run\./;

export function emittedEvents(run: StageRun, events: readonly EmittedEvent[]): readonly EndedEvent[] {
  return events.map(({ type, key = '', data }) => {
    if (RESERVED.test(type)) throw new MillraceError('event_reserved', { run: run.id, type, pipeline: run.pipeline });
    return { runId: run.id, type, key, data: JSON.stringify(data) };
  });
}
