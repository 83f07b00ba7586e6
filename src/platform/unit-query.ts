// Statements through a connection pooler in transaction mode: the next user of a server connection is another process, so that role,
// limits and other settings hold for one transaction only and travel with each. A statement outside a transaction is sent with its
// settings before it and one Sync behind both: the server takes them as one transaction, in one round trip.
//
// Nothing has a name here: the server connection that knows a named statement may not be the one that is asked next.
import pg from 'pg';

/** What pg's connection and query offer beyond their declared types. */
export interface QueryWire {
  parse(statement: { text: string; name: string }): void;
  bind(portal: { portal: string; statement: string; values: unknown[] }): void;
  execute(portal: { portal: string; rows?: number }): void;
  flush(): void;
  sync(): void;
}

interface QueryParts {
  name: string | undefined;
  callback: ((error: Error | undefined, result: unknown) => void) | undefined;
  requiresPreparation(): boolean;
  prepare(wire: QueryWire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: QueryWire): void;
}

const parts = pg.Query.prototype as unknown as QueryParts;

type Config = string | pg.QueryConfig;
type Callback = NonNullable<QueryParts['callback']>;

export class UnitQuery extends pg.Query {
  /** Statements that come first in the same transaction; their answers are ignored. */
  prologue: string | undefined;
  #isPrologueOver = false;

  constructor(config: Config, values?: unknown[], callback?: Callback) {
    super(config as pg.QueryConfig, values as never, callback as never);
  }

  protected get isPrologue(): boolean {
    return this.prologue !== undefined && !this.#isPrologueOver;
  }

  requiresPreparation(): boolean {
    return this.prologue !== undefined || parts.requiresPreparation.call(this as unknown as QueryParts);
  }

  prepare(wire: QueryWire): void {
    if (this.prologue !== undefined) {
      wire.parse({ text: this.prologue, name: '' });
      wire.bind({ portal: '', statement: '', values: [] });
      wire.execute({ portal: '' });
    }
    parts.prepare.call(this as unknown as QueryParts, wire);
  }

  handleDataRow(message: unknown): void {
    if (!this.isPrologue) parts.handleDataRow.call(this as unknown as QueryParts, message);
  }

  handleCommandComplete(message: unknown, wire: QueryWire): void {
    if (this.isPrologue) this.#isPrologueOver = true;
    else parts.handleCommandComplete.call(this as unknown as QueryParts, message, wire);
  }
}

type Ask = (...args: unknown[]) => unknown;

/** Sends what `client.query` was given, as the pooler needs it. `isInTransaction`: the settings have been made already. */
export function askAsUnit(ask: Ask, prologue: string, isInTransaction: boolean, args: readonly unknown[]): unknown {
  const [asked, values, callback] = args as [
    Config | UnitQuery,
    unknown[] | Callback | undefined,
    Callback | undefined,
  ];
  if (asked instanceof UnitQuery) {
    (asked as unknown as QueryParts).name = undefined;
    if (!isInTransaction) asked.prologue = prologue;
    return ask(asked);
  }
  if (isInTransaction) return ask(withoutName(asked), values, callback);
  if (typeof asked === 'string' && /^begin\b/i.test(asked)) return ask(`${asked}; ${prologue}`);
  return askAlone(ask, prologue, withoutName(asked), values, callback);
}

function askAlone(
  ask: Ask,
  prologue: string,
  config: Config,
  values: unknown[] | Callback | undefined,
  callback: Callback | undefined,
): unknown {
  const listener = typeof values === 'function' ? values : callback;
  const query = new UnitQuery(config, typeof values === 'function' ? undefined : values, listener);
  query.prologue = prologue;
  if (listener !== undefined) return ask(query);
  return new Promise((resolve, reject) => {
    (query as unknown as QueryParts).callback = (error, result) => (error ? reject(error) : resolve(result));
    ask(query);
  });
}

function withoutName(config: Config): Config {
  if (typeof config === 'string' || config.name === undefined) return config;
  const { name: _, ...rest } = config;
  return rest;
}
