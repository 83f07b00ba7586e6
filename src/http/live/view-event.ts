// An event as the API and the live feed show it.
import type { AnswerOf } from '../../contract/api/client.ts';
import type { RunEventRow } from '../../engine/reads/read-events.ts';

export type EventView = AnswerOf<'runs.events'>['data'][number];

export function viewEvent(row: RunEventRow & { pipeline?: string | null }): EventView {
  const { pipeline } = row.data;
  return {
    position: String(row.position),
    event_id: String(row.event_id),
    type: row.type,
    run_id: row.run_id,
    pipeline: row.pipeline ?? (typeof pipeline === 'string' ? pipeline : null),
    occurred_at: row.created_at.toISOString(),
    data: row.data,
  };
}
