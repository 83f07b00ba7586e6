// The pipelines of this process as one tenant sees them: machine, stages, whether its own lane is paused, its counts.
import { z } from 'zod';
import type { AnswerOf } from '../../../contract/api/client.ts';
import type { AnyPipeline } from '../../../engine/pipeline.ts';
import { readLanes } from '../../../engine/reads/read-queue.ts';
import { type PauseRow, readPauses } from '../../../engine/reads/read-tenant-figures.ts';
import type { Call } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';
import { countRuns } from '../../metrics/run-counts.ts';
import { type PipelineParts, partsOf } from '../../pipeline-parts.ts';
import { stagesOf } from '../../run-views/stage-reports.ts';
import { look } from '../change.ts';

const none = { waiting: 0, active: 0, done: 0, failed: 0, dead: 0 };

type PipelineView = AnswerOf<'pipelines.list'>['data'][number];
type PipelineCall = Call<'pipelines.list'> | Call<'pipelines.pause'> | Call<'pipelines.resume'>;

export async function describePipelines(call: PipelineCall): Promise<PipelineView[]> {
  const engine = engineOf(call);
  const { tenantId } = call.principal;
  const pipelines = [...engine.registry.values()];
  const lanes = await readLanes(engine.pools.control, tenantId);
  const { counts, pauses } = await look(call, async (db) => ({
    counts: await countRuns(call.app.pool, db, tenantId, lanes),
    pauses: await readPauses(db, [...new Set(pipelines.map((each) => laneOf(each, tenantId)))]),
  }));
  return pipelines.map((pipeline) => ({
    ...describe(pipeline),
    ...describeParts(partsOf(call.app, pipeline.name)),
    paused: pauseOf(pipeline, tenantId, pauses),
    counts: counts[pipeline.name] ?? none,
  }));
}

/** The line a tenant's runs of a pipeline stand in, as far as the tenant alone decides it. */
export function laneOf(pipeline: AnyPipeline, tenantId: string): string {
  try {
    return pipeline.lane({ tenantId, input: {} });
  } catch {
    // The lane depends on the input.
    return tenantId;
  }
}

function describe({ name, machine, laneCap }: AnyPipeline) {
  const states = Object.entries(machine.states).map(([word, state]) => ({
    name: word,
    phase: state.phase,
    stage: state.stage ?? null,
    on: { ...state.on },
  }));
  return {
    name,
    title: name.charAt(0).toUpperCase() + name.slice(1),
    accepts: [] as string[],
    takes: null as string | null,
    fields: [] as string[],
    may_start: false,
    machine: { version: machine.version, initial: machine.initial, states },
    stages: stagesOf(machine),
    lane_cap: laneCap ?? null,
  };
}

function describeParts({ title, intake, mayStart }: PipelineParts) {
  return {
    may_start: mayStart === true,
    ...(title === undefined ? {} : { title }),
    ...(intake === undefined
      ? {}
      : { accepts: [...intake.accepts], takes: intake.title, fields: fieldsOf(intake.fields) }),
  };
}

function fieldsOf(schema: z.ZodType): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function pauseOf(pipeline: AnyPipeline, tenantId: string, pauses: readonly PauseRow[]): PipelineView['paused'] {
  const own = pauses.filter((each) => each.pipeline === pipeline.name);
  const pause = own.find((each) => each.lane === '') ?? own.find((each) => each.lane === laneOf(pipeline, tenantId));
  if (pause === undefined) return null;
  const scope = pause.lane === '' ? ('installation' as const) : ('tenant' as const);
  // Only the operator sees who paused the installation.
  return { at: pause.paused_at.toISOString(), by: scope === 'tenant' ? pause.paused_by : null, scope };
}
