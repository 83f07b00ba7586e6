// Sends statements over one connection one after another: each waits until the connection has answered the statement before it.
import type { Queryable } from '../../platform/database.ts';

/** Sends each statement when the one before has been answered, while its parameters are made before that. */
export function inTurn(tx: Queryable): Queryable {
  let before: Promise<unknown> = Promise.resolve();
  const query = (...given: Parameters<Queryable['query']>) => {
    const answer = before.then(() => tx.query(...given));
    before = answer.catch(() => {});
    return answer;
  };
  return { query: query as Queryable['query'] };
}
