// The pipeline of "npm run demo:kill": reads a CSV of orders from disk in batches, slowly enough to be watched and killed.
// Nothing in its table forbids a row twice; that there is none is the engine's doing.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { definePipeline, machine, type Queryable } from '../../src/index.ts';

interface Checkpoint {
  readonly line: number;
  readonly inserted: number;
  readonly rejected: number;
}

interface Order {
  readonly line: number;
  readonly id: string;
  readonly amount: string;
}

const BATCH = 250;
const PAUSE_MS = 60;

export const orders = definePipeline({
  machine: machine('orders', {
    queued: { phase: 'waiting', stage: 'load', on: { claim: 'loading', fail: 'failed' } },
    loading: { phase: 'active', stage: 'load', on: { complete: 'loaded', fail: 'failed', release: 'queued' } },
    loaded: { phase: 'done' },
    failed: { phase: 'failed' },
  }),
  input: z.object({ file: z.string(), rows: z.number().int() }),
  stages: {
    async load({ run, input, checkpoint, commit, reject, progress, signal }) {
      const start = (await checkpoint<Checkpoint>()) ?? { line: 0, inserted: 0, rejected: 0 };
      let at: Checkpoint = start;
      for await (const batch of readBatches(input.file, start.line)) {
        signal.throwIfAborted();
        const good = batch.filter((order) => isAmount(order.amount));
        for (const order of batch) if (!isAmount(order.amount)) reject(refusal(order));
        const last = batch.at(-1)?.line ?? at.line;
        at = { line: last, inserted: at.inserted + good.length, rejected: at.rejected + batch.length - good.length };
        // Rows, rejects and checkpoint in one transaction: a kill leaves all of a batch or nothing of it.
        await commit((tx) => insertOrders(tx, run.tenantId, run.id, good), { checkpoint: at });
        progress({ done: at.line, total: input.rows, unit: 'rows' });
        await pause(PAUSE_MS, undefined, { signal });
      }
      return { on: 'complete', receipt: { read: at.line, outcomes: { inserted: at.inserted, rejected: at.rejected } } };
    },
  },
  async recount({ id, input }, tx) {
    let read = 0;
    let rejected = 0;
    for await (const batch of readBatches(input.file, 0)) {
      read += batch.length;
      rejected += batch.filter((order) => !isAmount(order.amount)).length;
    }
    const { rows } = await tx.query('select count(*)::int as stored from demo_orders where run_id = $1', [id]);
    return { read, outcomes: { inserted: rows[0].stored, rejected } };
  },
});

export async function prepare(admin: Queryable): Promise<void> {
  await admin.query(`
    create table if not exists demo_orders
      (tenant_id uuid not null, run_id uuid not null, line int not null, order_id text not null, amount numeric not null);
    alter table demo_orders enable row level security;
    alter table demo_orders force row level security;
    drop policy if exists own on demo_orders;
    create policy own on demo_orders using (tenant_id = (select engine.current_tenant()));
    grant select, insert on demo_orders to millrace_app`);
}

async function* readBatches(file: string, after: number): AsyncGenerator<Order[]> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  let line = -1; // the header
  let batch: Order[] = [];
  for await (const text of lines) {
    line += 1;
    if (line === 0 || line <= after) continue;
    const [id = '', amount = ''] = text.split(',');
    batch.push({ line, id, amount });
    if (batch.length === BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

function isAmount(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text);
}

function refusal({ line, id, amount }: Order) {
  const message = `"${amount}" is not a number.`;
  return {
    line,
    byteOffset: null,
    column: 'amount',
    code: 'number_malformed',
    message,
    value: amount,
    cause: 'amount:number_malformed',
    item: { id, amount },
  };
}

async function insertOrders(tx: Queryable, tenantId: string, runId: string, rows: readonly Order[]): Promise<void> {
  await tx.query(
    `insert into demo_orders (tenant_id, run_id, line, order_id, amount)
     select $1, $2, t.line, t.id, t.amount from unnest($3::int[], $4::text[], $5::numeric[]) as t (line, id, amount)`,
    [tenantId, runId, rows.map(({ line }) => line), rows.map(({ id }) => id), rows.map(({ amount }) => amount)],
  );
}
