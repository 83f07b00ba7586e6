import { describe, expect, it } from 'vitest';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { sqlStateOf, translateDatabaseError } from './database-errors.ts';

const fromServer = (code: string, message = 'no') => Object.assign(new Error(message), { code, severity: 'ERROR' });
const fromSocket = (code: string, syscall: string) => Object.assign(new Error(`${syscall} ${code}`), { code, syscall });

function codeOf(error: unknown, connecting = false): string | undefined {
  const translated = translateDatabaseError(error, { connecting, target: 'h:1/d', waitedMs: 1_500 });
  return translated instanceof MillraceError ? translated.code : undefined;
}

describe('foreign database errors', () => {
  it.each([
    ['08006', 'database_lost'],
    ['57P01', 'database_lost'],
    ['57P03', 'database_lost'],
    ['25P03', 'database_lost'],
    ['25P04', 'statement_cancelled'],
    ['40001', 'transaction_conflict'],
    ['40P01', 'transaction_conflict'],
    ['55P03', 'transaction_conflict'],
    ['57014', 'statement_cancelled'],
    ['53300', 'database_busy'],
    ['53100', 'disk_full'],
    ['28P01', 'database_refused'],
    ['3D000', 'database_refused'],
  ])('SQLSTATE %s is %s', (state, code) => {
    expect(codeOf(fromServer(state))).toBe(code);
  });

  it.each(['23505', '23503', '42501', '22P02', 'P0001'])('SQLSTATE %s stays what it is', (state) => {
    const error = fromServer(state);
    expect(translateDatabaseError(error)).toBe(error);
  });

  it('an unknown role is a refusal while connecting and a plain error later', () => {
    expect(codeOf(fromServer('22023'), true)).toBe('database_refused');
    expect(codeOf(fromServer('22023'))).toBeUndefined();
  });

  it('socket errors are told from errors of the file system', () => {
    expect(codeOf(fromSocket('ECONNREFUSED', 'connect'))).toBe('database_unreachable');
    expect(codeOf(fromSocket('ENOENT', 'connect'))).toBe('database_unreachable');
    expect(codeOf(fromSocket('ECONNRESET', 'read'))).toBe('database_lost');
    expect(codeOf(fromSocket('ENOENT', 'open'))).toBeUndefined();
    expect(codeOf(fromSocket('ENOSPC', 'write'))).toBeUndefined();
  });

  it('a name with several addresses reports the first of them', () => {
    const both = new AggregateError([fromSocket('ECONNREFUSED', 'connect'), fromSocket('ECONNREFUSED', 'connect')], '');
    expect(codeOf(both)).toBe('database_unreachable');
    expect((translateDatabaseError(both, { target: 'h:1/d' }) as Error).message).toBe(
      'The database at h:1/d does not answer: connect ECONNREFUSED.',
    );
  });

  it("the driver's own sentences are known", () => {
    expect(codeOf(new Error('timeout exceeded when trying to connect'))).toBe('pool_exhausted');
    expect(codeOf(new Error('Connection terminated due to connection timeout'))).toBe('database_unreachable');
    expect(codeOf(new Error('Connection terminated unexpectedly'))).toBe('database_lost');
    expect(codeOf(new Error('something else'))).toBeUndefined();
  });

  it('keep their SQLSTATE as the cause', () => {
    expect(sqlStateOf(translateDatabaseError(fromServer('40P01')))).toBe('40P01');
    expect(sqlStateOf(fromSocket('EPIPE', 'write'))).toBeUndefined();
  });
});
