import { MillraceError } from '../../src/contract/errors/millrace-error.ts';

/** The code with which a promise is refused. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'no error',
    (error: unknown) => (error instanceof MillraceError ? error.code : String(error)),
  );
}
