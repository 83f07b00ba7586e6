// Registers the machines of this process in the database. States and arrows are only added; a machine that contradicts what
// is there is refused, because runs of the other version would be moved along arrows that their code does not know.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Machine } from '../contract/states/machine.ts';
import { type Pool, withTransaction } from '../platform/database.ts';
import { failpoint } from '../platform/failpoints.ts';
import type { AnyPipeline, Registry } from './pipeline.ts';
import type { EngineSettings } from './settings.ts';
import {
  type ArrowRow,
  addArrows,
  addStates,
  readMachine,
  type StateRow,
  upsertPipeline,
} from './sql/register-pipelines.ts';

export async function registerMachines(pool: Pool, registry: Registry, settings: EngineSettings): Promise<void> {
  for (const pipeline of registry.values()) await withTransaction(pool, (tx) => register(tx, pipeline, settings));
}

async function register(
  tx: Parameters<typeof upsertPipeline>[0],
  pipeline: AnyPipeline,
  settings: EngineSettings,
): Promise<void> {
  const { machine } = pipeline;
  await upsertPipeline(tx, {
    pipeline: pipeline.name,
    version: machine.version,
    initialStatus: machine.initial,
    laneCap: pipeline.laneCap ?? null,
    lostLimit: pipeline.lostLimit ?? settings.lostLimit,
    lostAction: pipeline.onLost,
    lostCode: pipeline.lostCode ?? null,
    announced: pipeline.announce,
    failedAreDeadLetters: pipeline.failedAreDeadLetters,
  });
  await addStates(tx, pipeline.name, statesOf(machine));
  await addArrows(tx, pipeline.name, arrowsOf(machine));
  const contradiction = contradictionBetween(machine, await readMachine(tx, pipeline.name));
  if (contradiction) {
    throw new MillraceError('machine_conflict', {
      pipeline: pipeline.name,
      version: machine.version,
      reason: contradiction,
    });
  }
  failpoint('register.before_commit');
}

export function statesOf(machine: Machine): StateRow[] {
  return Object.entries(machine.states).map(([status, state]) => ({
    status,
    phase: state.phase,
    stage: state.stage ?? null,
  }));
}

export function arrowsOf(machine: Machine): ArrowRow[] {
  return Object.entries(machine.states).flatMap(([from, state]) =>
    Object.entries(state.on ?? {}).map(([event, to]) => ({ from, event, to })),
  );
}

/** The first thing the code says otherwise than the database; what only the database knows is a newer version's. */
function contradictionBetween(
  machine: Machine,
  stored: { states: StateRow[]; arrows: ArrowRow[] },
): string | undefined {
  for (const state of statesOf(machine)) {
    const there = stored.states.find((candidate) => candidate.status === state.status);
    if (there?.phase !== state.phase || there.stage !== state.stage) return `state "${state.status}" differs`;
  }
  for (const arrow of arrowsOf(machine)) {
    const there = stored.arrows.find((candidate) => candidate.from === arrow.from && candidate.event === arrow.event);
    if (there?.to !== arrow.to)
      return `"${arrow.event}" from "${arrow.from}" leads to "${there?.to}", not "${arrow.to}"`;
  }
  return undefined;
}
