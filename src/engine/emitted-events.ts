// What a stage puts into the outbox, as it is stored. Names that begin with "run." are the engine's own: taken by a stage, such an event
// would stand in the way of the run's end.
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
