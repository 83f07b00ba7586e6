// Rows of a statement while its commit is still on its way to disk.
//
// As a rule the server keeps an answer back until the commit is durable: at best 0.34 ms of the 3 ms from an enqueue to its start in an idle
// worker, and 2.9 ms where others use the disk (1,500 claims each, alternated). Asked to flush first, it
// hands the rows over when the statement is done, triggers included. Whoever acts on them must write nothing that counts
// before `landed` says that the commit is there too: it can still fail, or be lost with the server.
import type pg from 'pg';
import { withClient } from './database.ts';
import { translateDatabaseError } from './database-errors.ts';
import { type QueryWire, UnitQuery } from './unit-query.ts';

export interface EarlyRows<Row> {
  readonly rows: Row[];
  /** Resolves when the commit is durable; rejects when it is not, or when nobody knows. Undefined: it is durable. */
  readonly landed: Promise<void> | undefined;
}

/** Rows whose commit is there already. */
export function alreadyLanded<Row>(rows: Row[]): EarlyRows<Row> {
  return { rows, landed: undefined };
}

/** What pg's query offers beyond its declared types. Should it change, rows come with the commit. */
interface QueryParts {
  portal: string;
  _result: { rows: unknown[] };
}

class EarlyQuery extends UnitQuery {
  readonly #onExecuted: (rows: unknown[]) => void;

  constructor(config: pg.QueryConfig, onExecuted: (rows: unknown[]) => void, onEnd: (error?: Error) => void) {
    super(config, undefined, (error) => onEnd(error));
    this.#onExecuted = onExecuted;
  }

  override handleCommandComplete(message: unknown, wire: QueryWire): void {
    const { isPrologue } = this;
    super.handleCommandComplete(message, wire);
    if (!isPrologue) this.#onExecuted((this as unknown as QueryParts)._result.rows);
  }

  _getRows(wire: QueryWire): void {
    wire.execute({ portal: (this as unknown as QueryParts).portal });
    wire.flush();
    wire.sync();
  }
}

/** One statement, in a transaction of its own. */
export function queryEarly<Row>(pool: pg.Pool, config: pg.QueryConfig): Promise<EarlyRows<Row>> {
  return new Promise((resolve, reject) => {
    const landed = withClient(
      pool,
      (client) =>
        new Promise<void>((onLanded, onLost) => {
          const onExecuted = (rows: unknown[]) => resolve({ rows: rows as Row[], landed });
          client.query(new EarlyQuery(config, onExecuted, (error) => (error ? onLost(error) : onLanded())));
        }),
    );
    // Before the rows are there, a failure is the caller's answer; afterwards it is in `landed`.
    landed.catch((error: unknown) => reject(translateDatabaseError(error)));
  });
}

/** Whether what was begun early counts. */
export function hasLanded(landed: Promise<void>): Promise<boolean> {
  return landed.then(
    () => true,
    () => false,
  );
}
