// Everything the API says about one run, read under the tenant's row-level security in one transaction.
import type { Principal } from '../../access/principal.ts';
import { inTenant } from '../../access/tenant-session.ts';
import type { AnswerOf } from '../../contract/api/client.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Engine } from '../../engine/engine.ts';
import { isDeadLetter } from '../../engine/reads/dead-letters.ts';
import { countRejects } from '../../engine/reads/list-rejects.ts';
import { type AttemptRow, readAttempts } from '../../engine/reads/read-attempts.ts';
import { readDecisions, readSamples } from '../../engine/reads/read-progress.ts';
import { readReplays } from '../../engine/reads/read-replays.ts';
import { readFileFacts, readShownRun } from '../../engine/reads/read-run.ts';
import type { ShownRun } from '../../engine/reads/run-columns.ts';
import { lastPosition } from '../../engine/sql/event-feed.ts';
import { findOpenQuestion } from '../../engine/sql/questions.ts';
import type { Pool, Queryable } from '../../platform/database.ts';
import type { PipelinePartsByName } from '../pipeline-parts.ts';
import { findUndo } from '../run-actions/find-undo.ts';
import { legalActions } from '../run-actions/legal-actions.ts';
import { viewError, viewRun } from './run-view.ts';
import { stageReports } from './stage-reports.ts';
import { viewQuestion } from './view-question.ts';
import { whatNext } from './what-next.ts';

const MAX_ATTEMPTS = 200;
const MAX_DECISIONS = 500;
const MAX_SAMPLES = 1_000;
const MAX_REPLAYS = 50;

export async function showRun(
  deps: { pool: Pool; engine: Engine; pipelines: PipelinePartsByName },
  principal: Principal,
  runId: string,
): Promise<AnswerOf<'runs.show'>> {
  const { tenantId } = principal;
  const facts = await inTenant(
    deps.pool,
    tenantId,
    async (db) => {
      // First the position, then the state: a reader who follows from here may see an event twice, never miss one.
      const position = await lastPosition(db);
      const run = await requireVisibleRun(db, principal, runId);
      return {
        position,
        run,
        file: run.blob_id === null ? undefined : await readFileFacts(db, tenantId, run.blob_id),
        attempts: await readAttempts(db, tenantId, runId, { after: 0, limit: MAX_ATTEMPTS }),
        decisions: await readDecisions(db, tenantId, runId, MAX_DECISIONS),
        samples: await readSamples(db, tenantId, runId, MAX_SAMPLES),
        rejects: await countRejects(db, tenantId, runId),
        question: run.held_at === null ? undefined : await findOpenQuestion(db, tenantId, runId),
        replays: await readReplays(db, tenantId, runId, MAX_REPLAYS),
        undo: deps.pipelines[run.pipeline]?.actions?.undo && (await findUndo(db, run)),
        isDeadLetter: (run.phase === 'dead' || run.failed_waits) && (await isDeadLetter(db, tenantId, runId)),
      };
    },
    { readOnly: true },
  );
  const { run, rejects } = facts;
  const pipeline = deps.engine.registry.get(run.pipeline);
  const parts = deps.pipelines[run.pipeline];
  const tries = pipeline && { ...pipeline, lostLimit: pipeline.lostLimit ?? deps.engine.settings.lostLimit };
  const attempts = viewAttempts(facts.attempts);
  const why = await deps.engine.why(run);
  return {
    ...viewRun(run),
    rejects: { total: rejects.total, open: rejects.open },
    input: run.input,
    wait: why === null ? null : { code: why.reason, text: why.text, until: why.until?.toISOString() ?? null },
    question: facts.question === undefined ? null : viewQuestion(facts.question),
    next: whatNext(run, why, pipeline?.machine, attempts.findLast(({ stage }) => stage === run.stage)?.number),
    actions: legalActions(
      run,
      principal,
      {
        canVerify: pipeline?.recount !== undefined,
        corrected: rejects.corrected,
        undo: facts.undo,
        isDeadLetter: facts.isDeadLetter,
      },
      parts?.actions,
    ),
    file: facts.file ?? null,
    stages: stageReports(tries, run, facts.attempts),
    attempts,
    decisions: facts.decisions.map((each) => ({
      at: each.decided_at.toISOString(),
      stage: each.stage,
      knob: each.size_name,
      from: each.from_size,
      to: each.to_size,
      reason: each.reason,
    })),
    samples: facts.samples.map(({ sampled_at, ...sample }) => ({ at: sampled_at.toISOString(), ...sample })),
    undone_as: facts.undo?.id ?? null,
    replays: facts.replays,
    last_position: String(facts.position),
  };
}

/** A run of another tenant, and for support a run that is no dead letter, is as good as none. */
export async function requireVisibleRun(db: Queryable, principal: Principal, runId: string): Promise<ShownRun> {
  const run = await readShownRun(db, principal.tenantId, runId);
  const isVisible = run !== undefined && (principal.role !== 'support' || isForSupport(run));
  if (!isVisible) throw new MillraceError('run_not_found', { run: runId });
  return run;
}

/** Support handles dead letters, also those that were dealt with. */
export function isForSupport(run: Pick<ShownRun, 'phase' | 'failed_waits'>): boolean {
  return run.phase === 'dead' || run.failed_waits;
}

type AttemptView = AnswerOf<'runs.attempts'>['data'][number];

/** All attempts of a run from the first one on: each has its number among those of its stage. */
export function viewAttempts(rows: readonly AttemptRow[]): AttemptView[] {
  const numbers = new Map<string, Set<number>>();
  return rows.map((row) => {
    const ofStage = (numbers.get(row.stage) ?? new Set()).add(row.attempt);
    numbers.set(row.stage, ofStage);
    return viewAttempt(row, ofStage.size);
  });
}

function viewAttempt(row: AttemptRow, number: number): AttemptView {
  return {
    attempt: row.attempt,
    number,
    stage: row.stage,
    worker: row.worker_id,
    queued_at: row.queued_at.toISOString(),
    started_at: row.started_at.toISOString(),
    finished_at: row.ended_at?.toISOString() ?? null,
    queue_wait_ms: Math.max(0, row.started_at.getTime() - row.queued_at.getTime()),
    work_ms: row.ended_at === null ? null : row.ended_at.getTime() - row.started_at.getTime(),
    outcome: row.outcome,
    error: viewError(row.error_code, row.error_text),
  };
}
