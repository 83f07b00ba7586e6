// Turns a thrown error into the end of an attempt: its kind decides whether the engine retries it and what the ledger says.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { cancelEvent, target } from '../contract/states/machine.ts';
import { translateDatabaseError } from '../platform/database-errors.ts';
import type { AnyPipeline } from './pipeline.ts';
import { countFailure, judge, type Verdict } from './retry-policy.ts';
import type { AttemptEnd } from './sql/end-attempts.ts';
import type { StageRun } from './stage-context.ts';

// Long enough for any sentence of ours; keeps a driver's essay out of the ledger.
const MAX_ERROR_TEXT = 2_000;
/** By then a connection has probably become free. */
const CROWD_PAUSE_MS = 1_000;
/** How often a run looks whether somebody has made room. */
const DISK_LOOK_MS = 15_000;

/** Every error becomes one of ours. What nobody foresaw is a bug, and its own words stay in the log only. */
export function classify(error: unknown, run: StageRun): MillraceError {
  if (error instanceof MillraceError) return error;
  const translated = translateDatabaseError(error);
  if (translated instanceof MillraceError) return translated;
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOSPC')
    return new MillraceError('disk_full', {}, { cause: error });
  return new MillraceError('stage_failed', { stage: run.stage, run: run.id }, { cause: error });
}

/** `workedMs`: how long this attempt has been going. */
export function endByError(pipeline: AnyPipeline, run: StageRun, error: MillraceError, workedMs: number): AttemptEnd {
  if (error.kind === 'cancelled')
    return { ...plainEnd(run, cancelEvent(pipeline.machine, run.status), 'cancelled'), ...whatWentWrong(error) };
  if (error.code === 'pool_exhausted') return endByCrowd(run);
  const verdict = judge(pipeline.retry, {
    kind: error.kind,
    stage: run.stage,
    failures: run.failures,
    runAgeMs: run.ageAtClaimMs + workedMs,
    retryAfterMs: error.retryAfterMs ?? (error.code === 'disk_full' ? DISK_LOOK_MS : undefined),
  });
  const end = plainEnd(run, arrowFor(pipeline, run.status, verdict), verdict.act === 'retry' ? 'retried' : 'failed');
  return {
    ...end,
    ...whatWentWrong(error),
    failures: JSON.stringify(countFailure(run.failures, error.kind, run.stage)),
    ...(verdict.act === 'retry' ? planned(verdict, error) : {}),
  };
}

/** No connection was free: no fault of the run, so that it costs nothing. It goes back and is soon offered again. */
function endByCrowd(run: StageRun): AttemptEnd {
  const waitReason = JSON.stringify({ kind: 'later', code: 'pool_exhausted' });
  return { ...endByRelease(run), waitReason, delayMs: CROWD_PAUSE_MS };
}

/** The run goes back as if it had never been claimed: drain, or a slice that is over. */
export function endByRelease(run: StageRun): AttemptEnd {
  return plainEnd(run, 'release', 'released');
}

/** An end without error, retry or receipt; the caller lays those over it. */
export function plainEnd(
  run: Pick<StageRun, 'id' | 'part' | 'attempt' | 'workerId' | 'pipeline' | 'status'>,
  event: string,
  outcome: string,
): AttemptEnd {
  return {
    runId: run.id,
    part: run.part,
    attempt: run.attempt,
    workerId: run.workerId,
    commits: null,
    pipeline: run.pipeline,
    fromStatus: run.status,
    event,
    outcome,
    receipt: null,
    failures: null,
    waitReason: null,
    delayMs: null,
    errorKind: null,
    errorCode: null,
    errorText: null,
  };
}

/** NUL cannot be stored in Postgres text, and text has an end. */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '').slice(0, MAX_ERROR_TEXT);
}

function arrowFor(pipeline: AnyPipeline, status: string, verdict: Verdict): string {
  const wanted = verdict.act === 'retry' ? 'retry' : verdict.event;
  if (target(pipeline.machine, status, wanted) !== undefined) return wanted;
  return verdict.act === 'retry' ? 'release' : 'fail';
}

function planned(verdict: Extract<Verdict, { act: 'retry' }>, error: MillraceError) {
  return {
    delayMs: verdict.delayMs,
    waitReason: JSON.stringify({
      kind: waitKind(error),
      ...(error.code === 'work_later' ? { text: storableText(error.message) } : {}),
      number: verdict.number,
      ...(Number.isFinite(verdict.of) ? { of: verdict.of } : {}),
      until: new Date(Date.now() + verdict.delayMs).toISOString(),
      delay_ms: verdict.delayMs,
      code: error.code,
    }),
  };
}

/** Work that a stage itself puts off is neither a failure nor somebody else's limit. */
function waitKind({ code, kind }: MillraceError): 'later' | 'rate_limit' | 'retry' {
  if (code === 'work_later') return 'later';
  return kind === 'rate_limited' && code !== 'disk_full' ? 'rate_limit' : 'retry';
}

function whatWentWrong(error: MillraceError) {
  return { errorKind: error.kind, errorCode: error.code, errorText: storableText(error.message) };
}
