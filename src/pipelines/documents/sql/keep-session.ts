import type { Queryable } from '../../../platform/database.ts';

const EVERY_MS = 500;

/** The server ends a transaction that idles; while `work` is done outside the database it is asked something now and then. */
export async function keepSession<T>(tx: Queryable, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => {
    tx.query({ name: 'documents-keep-session', text: 'select 1' }).catch(() => undefined);
  }, EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
