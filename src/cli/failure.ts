// How a command ends badly: one sentence, what to do next, the code, and an exit code that a script can use.
import { ApiError } from '../contract/api/client.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { exitCodeFor } from '../platform/config.ts';
import { translateDatabaseError } from '../platform/database-errors.ts';
import { note, paint } from './output.ts';

/** 0 success · 2 partial · 1 failed · 78 wrong configuration: trying again does not help. */
export const exitCodes = { ok: 0, failed: 1, partial: 2 } as const;

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly next: string;
  readonly exitCode: number;
}

export function describeFailure(error: unknown): Failure {
  if (error instanceof ApiError) {
    const { code, detail, next } = error.problem;
    return { code, message: detail, next, exitCode: exitCodes.failed };
  }
  const translated = translateDatabaseError(error);
  const ours =
    translated instanceof MillraceError ? translated : new MillraceError('internal', {}, { cause: translated });
  const { code, message, next } = ours;
  return { code, message, next, exitCode: exitCodeFor(ours) };
}

export function printFailure(error: unknown, asJson: boolean): number {
  const { exitCode, ...failure } = describeFailure(error);
  if (asJson) note(JSON.stringify({ error: failure }));
  else {
    const red = (text: string) => paint('red', text, process.stderr);
    note(`${red('✖')} ${failure.message}`);
    note(`  ${failure.next} ${paint('dim', `(${failure.code})`, process.stderr)}`);
  }
  // An unforeseen error gets a stack trace, so that somebody can find its cause.
  if (failure.code === 'internal' && process.env.LOG_LEVEL === 'debug') note(String((error as Error)?.stack ?? error));
  else if (failure.code === 'internal' && !asJson) note('  LOG_LEVEL=debug shows where it happened.');
  return exitCode;
}
