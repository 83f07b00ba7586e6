// What a worker gives each execution: connections, and the functions that only the engine can provide.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { translateDatabaseError } from '../platform/database-errors.ts';
import type { Log } from '../platform/log.ts';
import { waitAtMost } from '../platform/wait.ts';
import type { EnginePools } from './engine-pools.ts';
import type { ExecutionDeps } from './execution.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import type { PartClaimer } from './part-claimer.ts';
import type { ProgressWriter } from './progress-writer.ts';
import { finishPart, type PartAnswer } from './shared-runs.ts';
import { leasesStillHeld } from './sql/held-leases.ts';
import { offerParts } from './sql/parts.ts';
import type { StageRun } from './stage-context.ts';

export interface ExecutionTools {
  readonly pools: EnginePools;
  readonly log: Log;
  readonly stallMs: number;
  readonly questionHours: number;
  readonly keeper: LeaseKeeper;
  readonly progress: ProgressWriter;
  readonly parts: PartClaimer;
  /** Others may take parts of a run. */
  readonly onOffered: () => void;
  /** The work of a part is done; `isRunOver`: its run has ended or waits, which others in this process must hear. */
  readonly onPartEnded: (isRunOver: boolean) => void;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/** Shared by the runs of one claim. */
export function executionDeps(tools: ExecutionTools, landed?: Promise<void>): ExecutionDeps {
  const { pools, log, stallMs, questionHours, keeper, progress } = tools;
  return {
    effects: pools.effects,
    control: pools.control,
    log,
    defaultRole: 'millrace_app',
    stallMs,
    questionHours,
    stopEffects: (run, how) => keeper.stopEffects(run, how),
    offerParts: async (run, parts) => {
      if (!(await offerParts(pools.control, run, parts)))
        throw new MillraceError('lease_lost', { run: run.id, attempt: run.attempt });
      tools.onOffered();
    },
    finishPart: (run, commits, signal) => finishStubbornly(tools, run, commits, signal),
    onDecision: (decision) => progress.addDecision(decision),
    landed,
  };
}

/** While the database is away, or somebody has the lease locked, the end of a part waits as other ends do. */
async function finishStubbornly(
  { pools, parts, log, onPartEnded }: ExecutionTools,
  run: StageRun,
  commits: string | null,
  signal: AbortSignal,
): Promise<PartAnswer> {
  const by = parts.claimant(run.workerId);
  for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      const answer = await finishPart(pools.control, run, commits, by);
      if (answer !== 'gone' && answer !== 'rewound') onPartEnded(answer === 'over');
      if (answer !== 'gone' || (await leasesStillHeld(pools.control, [run])).size === 0) return answer;
    } catch (error) {
      const ours = translateDatabaseError(error);
      if (!(ours instanceof MillraceError)) throw error;
      log.warn({ run: run.id, part: run.part, code: ours.code }, 'the end of a part waits for the database');
    }
    await waitAtMost(pause, signal);
  }
  return 'gone';
}
