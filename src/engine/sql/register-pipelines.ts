// Writes machines into the database. Additive: states and arrows that are there stay, so old and new processes agree.
import type { Queryable } from '../../platform/database.ts';

export interface PipelineRow {
  readonly pipeline: string;
  readonly version: number;
  readonly initialStatus: string;
  readonly laneCap: number | null;
  readonly lostLimit: number;
  readonly lostAction: string;
  readonly lostCode: string | null;
  readonly announced: readonly string[];
  readonly failedAreDeadLetters: boolean;
}

/** Settings follow the highest version: an old process that starts late does not turn them back. */
export async function upsertPipeline(db: Queryable, row: PipelineRow): Promise<void> {
  await db.query({
    name: 'engine-upsert-pipeline',
    text: `
      insert into engine.pipelines (pipeline, version, initial_status, lane_cap, lost_limit, lost_action, announced, failed_are_dead_letters,
                                    lost_code)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      on conflict (pipeline) do update
      set version = excluded.version, initial_status = excluded.initial_status, lane_cap = excluded.lane_cap,
          lost_limit = excluded.lost_limit, lost_action = excluded.lost_action, announced = excluded.announced,
          failed_are_dead_letters = excluded.failed_are_dead_letters, lost_code = excluded.lost_code, registered_at = engine.now()
      where engine.pipelines.version <= excluded.version`,
    values: [
      row.pipeline,
      row.version,
      row.initialStatus,
      row.laneCap,
      row.lostLimit,
      row.lostAction,
      row.announced,
      row.failedAreDeadLetters,
      row.lostCode,
    ],
  });
}

export interface StateRow {
  readonly status: string;
  readonly phase: string;
  readonly stage: string | null;
}

export async function addStates(db: Queryable, pipeline: string, states: readonly StateRow[]): Promise<void> {
  await db.query({
    name: 'engine-add-states',
    text: `
      insert into engine.states (pipeline, status, phase, stage)
      select $1, * from unnest($2::text[], $3::text[], $4::text[])
      on conflict do nothing`,
    values: [pipeline, states.map((s) => s.status), states.map((s) => s.phase), states.map((s) => s.stage)],
  });
}

export interface ArrowRow {
  readonly from: string;
  readonly event: string;
  readonly to: string;
}

export async function addArrows(db: Queryable, pipeline: string, arrows: readonly ArrowRow[]): Promise<void> {
  await db.query({
    name: 'engine-add-arrows',
    text: `
      insert into engine.transitions (pipeline, from_status, event, to_status, to_phase, to_stage)
      select $1, a.from_status, a.event, a.to_status, s.phase, s.stage
      from unnest($2::text[], $3::text[], $4::text[]) as a (from_status, event, to_status)
      join engine.states s on s.pipeline = $1 and s.status = a.to_status
      on conflict do nothing`,
    values: [pipeline, arrows.map((a) => a.from), arrows.map((a) => a.event), arrows.map((a) => a.to)],
  });
}

/** What the database holds now, to be compared with what this process declares. */
export async function readMachine(
  db: Queryable,
  pipeline: string,
): Promise<{ states: StateRow[]; arrows: ArrowRow[] }> {
  const states = await db.query<StateRow>({
    name: 'engine-read-states',
    text: `select status, phase, stage from engine.states where pipeline = $1`,
    values: [pipeline],
  });
  const arrows = await db.query<ArrowRow>({
    name: 'engine-read-arrows',
    text: `select from_status as "from", event, to_status as "to" from engine.transitions where pipeline = $1`,
    values: [pipeline],
  });
  return { states: states.rows, arrows: arrows.rows };
}
