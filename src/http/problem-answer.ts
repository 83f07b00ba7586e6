// From any error to a problem object. Catalogued errors say what they are; everything else is `internal` with a correlation id, and
// its text stays in the log. What only an operator should read (hosts, reasons of the database) is replaced by a plain sentence.
import { STATUS_CODES } from 'node:http';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import type { Problem } from '../contract/api/problem.ts';
import { type AnyErrorCode, type ErrorCode, entryOf } from '../contract/errors/catalogue.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { translateDatabaseError } from '../platform/database-errors.ts';

export interface Asked {
  readonly path: string;
  readonly correlationId: string;
  /** An admin of the tenant: who can do something about a missing setting, or knows who can. */
  readonly isAdmin?: boolean;
}

export interface ProblemAnswer {
  readonly problem: Problem;
  readonly retryAfterS: number | undefined;
  /** Log it as ours to fix. */
  readonly isFault: boolean;
}

const DEFAULT_RETRY_S = 2;

/** Server-side troubles in words for someone outside. */
const outsideWords: Partial<Record<ErrorCode, { detail: string; next: string }>> = {
  database_unreachable: databaseAway(),
  database_lost: {
    detail: 'The connection to the database was lost.',
    next: 'If you wanted to change something, check first whether it was done: the answer may have been lost after it. Nothing that was acknowledged is lost.',
  },
  database_busy: databaseAway(),
  pool_exhausted: databaseAway(),
  statement_cancelled: databaseAway(),
  transaction_conflict: databaseAway(),
  blob_store_unreachable: {
    detail: 'The store for files does not answer at the moment.',
    next: 'Try again in a moment.',
  },
};

/** What Fastify itself refuses, by its code. */
const frameworkErrors: Readonly<Record<string, (error: FrameworkError) => MillraceError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new MillraceError('body_too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (error) =>
    new MillraceError('media_type_unsupported', { type: error.mediaType ?? 'given', expected: 'application/json' }),
  FST_ERR_CTP_INVALID_JSON_BODY: () => new MillraceError('body_malformed'),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => new MillraceError('body_malformed'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => new MillraceError('body_malformed'),
  FST_ERR_BAD_URL: () => new MillraceError('address_malformed'),
};

interface FrameworkError extends Error {
  code?: string;
  statusCode?: number;
  mediaType?: string;
}

export function problemAnswer(thrown: unknown, asked: Asked): ProblemAnswer {
  if (hasZodFastifySchemaValidationErrors(thrown)) return invalidRequest(thrown, asked);
  const error = ourError(thrown);
  const isOurs = error.kind === 'bug' || (error.kind === 'config' && error.code !== 'not_available');
  const isFault = error.status >= 500 && isOurs;
  const { code, detail, next } = spoken(error, asked.isAdmin === true);
  return {
    problem: problemOf(code, detail, next, asked),
    retryAfterS: retryAfterS(error),
    isFault,
  };
}

function ourError(thrown: unknown): MillraceError {
  const translated = translateDatabaseError(thrown);
  if (translated instanceof MillraceError) return translated;
  const framework = translated as FrameworkError;
  const known = framework?.code === undefined ? undefined : frameworkErrors[framework.code];
  if (known !== undefined) return known(framework);
  if (translated instanceof SyntaxError && framework.statusCode === 400) return new MillraceError('body_malformed');
  return new MillraceError('internal', {}, { cause: thrown });
}

/** A fault in the configuration is told as itself to admins; nobody else could do anything about it. */
function spoken(error: MillraceError, isAdmin: boolean): { code: AnyErrorCode; detail: string; next: string } {
  const { code, message: detail, next } = error;
  const outside = outsideWords[code as ErrorCode];
  if (outside !== undefined) return { code, ...outside };
  const isForUs =
    error.status >= 500 && ((error.kind === 'config' && !isAdmin) || error.kind === 'bug') && code !== 'not_available';
  // The reasons of a server may name hosts, people and passwords: they are in the log.
  if (!isForUs && error.status === 500 && error.kind === 'config')
    return { code, detail: 'The configuration of the server is wrong; its log says what.', next };
  if (!isForUs) return { code, detail, next };
  const { message, next: advice } = entryOf('internal');
  return { code: 'internal', detail: message, next: advice };
}

function invalidRequest(
  thrown: { validation: readonly { instancePath: string; message?: string }[]; validationContext?: string },
  asked: Asked,
): ProblemAnswer {
  const where = whereOf(thrown.validationContext);
  const errors = thrown.validation.slice(0, 50).map((fault) => ({
    where,
    path: fault.instancePath.replace(/^\//, '').replaceAll('/', '.') || where,
    message: fault.message ?? 'is not valid',
  }));
  const faults = errors.slice(0, 3).map((fault) => `${fault.path}: ${fault.message}`);
  const error = new MillraceError('request_invalid', { faults: faults.join('; ') });
  const problem = { ...problemOf('request_invalid', error.message, error.next, asked), errors };
  return { problem, retryAfterS: undefined, isFault: false };
}

function problemOf(code: AnyErrorCode, detail: string, next: string, asked: Asked): Problem {
  const { status } = entryOf(code);
  return {
    type: `/docs/errors#${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    code,
    next,
    instance: asked.path,
    correlation_id: asked.correlationId,
  };
}

function retryAfterS(error: MillraceError): number | undefined {
  if (error.retryAfterMs !== undefined) return Math.max(1, Math.ceil(error.retryAfterMs / 1000));
  return error.status === 503 || error.status === 429 ? DEFAULT_RETRY_S : undefined;
}

function whereOf(context: string | undefined): 'params' | 'query' | 'body' | 'headers' {
  if (context === 'querystring') return 'query';
  return context === 'params' || context === 'headers' ? context : 'body';
}

function databaseAway() {
  return {
    detail: 'The database does not answer at the moment.',
    next: 'Try again in a moment; nothing that was acknowledged is lost.',
  };
}
