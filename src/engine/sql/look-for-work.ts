// Asks whether there is work to claim. A worker that found nothing and received no wake-up asks this first: one statement instead of one for each kind
// of claim.
import type { Queryable } from '../../platform/database.ts';

export interface WorkSeen {
  /** Some run is in the queue, perhaps of a lane that is paused or full. */
  readonly ready: boolean;
  /** Until the first open part may be claimed; 0: now; null: none is open. */
  readonly part_in_ms: number | null;
}

/** Until the first open part of these pipelines that is not paused may be claimed. */
const partIn = (pipelines: string) => `
  (select case when min(f.available_at) is not null
               -- Without the question, greatest() would make 0 of nothing.
               then greatest(0, extract(epoch from min(f.available_at) - engine.now()) * 1000) end::float8
   from unnest(${pipelines}::text[]) given (pipeline)
   cross join lateral (
     select p.available_at from engine.parts p
     where p.state = 'open' and p.available_at > '-infinity' and p.pipeline = given.pipeline
       and (select true from engine.pauses x where x.pipeline = p.pipeline and x.lane in ('', p.lane) limit 1) is null
     order by p.available_at
     limit 1
   ) f)`;

export async function lookForWork(
  db: Queryable,
  pipelines: readonly string[],
  sharing: readonly string[],
): Promise<WorkSeen> {
  const { rows } = await db.query<WorkSeen>({
    name: 'engine-look-for-work',
    text: `
      select exists (select from engine.ready q where q.pipeline = any ($1::text[])) as ready, ${partIn('$2')} as part_in_ms`,
    values: [pipelines, sharing],
  });
  return rows[0] ?? { ready: true, part_in_ms: null };
}

/** As `part_in_ms`. */
export async function nextPartIn(db: Queryable, sharing: readonly string[]): Promise<number | null> {
  const { rows } = await db.query<{ part_in_ms: number | null }>({
    name: 'engine-next-part-in',
    text: `select ${partIn('$1')} as part_in_ms`,
    values: [sharing],
  });
  return rows[0]?.part_in_ms ?? null;
}
