// A process that delivers is killed between the call and the note about it: the event goes out again, with the same id.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import { compiledProgram } from '../../../test/support/programs.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import {
  answers,
  buildEndpoint,
  quickWebhooks,
  type Receiver,
  startReceiver,
  testBox,
} from '../../../test/support/webhooks.ts';
import { consumeOnce } from '../../engine/consumer.ts';
import { pumpEvents } from '../../engine/services/outbox-pump.ts';
import { insertEvents } from '../../engine/sql/insert-events.ts';
import { silentLog } from '../../platform/log.ts';
import { deliver } from './deliver.ts';
import { claimDue, createDeliverer } from './deliverer.ts';
import { takeBackLost } from './sql/claim-deliveries.ts';
import { addDeliveries, consumerName } from './webhook-consumer.ts';

const db = useDatabase();
const program = compiledProgram('test/support/webhook-process.ts');
let receiver: Receiver;
const children: ChildProcess[] = [];

beforeAll(async () => {
  receiver = await startReceiver(answers.hang);
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await receiver.close();
});

/** A receiver that answers is heard, however busy the machine. */
const patient = { ...quickWebhooks, timeoutMs: 60_000 };

/** Long enough a time-out that only its death ends the call. */
async function startProcess(failpoint?: string): Promise<ChildProcess> {
  const settings = { timeoutMs: 60_000, leaseMarginMs: 500, endpointConcurrency: 3 };
  const child = fork(program, [JSON.stringify({ url: db.appUrl, settings, failpoint })], {
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  children.push(child);
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  return child;
}

/** What a dead process held is free at once, as it would be a moment later. */
async function endLeases(endpointId: string): Promise<void> {
  await db.admin.query(
    `update engine.deliveries set lease_until = engine.now() - interval '1 second' where endpoint_id = $1 and status = 'sending'`,
    [endpointId],
  );
}

async function tell(tenantId: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, key) => ({
    tenantId,
    runId: null,
    type: 'batch.told',
    key: String(key),
    data: JSON.stringify({ count: key }),
  }));
  await insertEvents(db.engine, events);
  await pumpEvents(db.engine);
  await consumeOnce({ name: consumerName, pool: db.engine, log: silentLog, everyMs: 0, apply: addDeliveries });
}

describe('a process killed while it delivers', () => {
  it('loses its deliveries to another one, and the receiver sees the same webhook-id again', async () => {
    const tenantId = newTenant();
    const { endpoint_id: endpointId } = await buildEndpoint(db, tenantId, { url: receiver.url });
    const doomed = await startProcess();
    // The receiver has the events and takes its time; the sender dies before it hears the answer.
    await tell(tenantId, 3);
    await waitFor(() => receiver.received.length === 3);
    doomed.kill('SIGKILL');
    await once(doomed, 'exit');
    await endLeases(endpointId);
    const first = receiver.received.map(({ id }) => id).sort();
    expect(new Set(first).size).toBe(3);

    receiver.answer = answers.ok;
    const heir = createDeliverer({ pool: db.engine, box: testBox, settings: patient, log: silentLog });
    heir.start();
    try {
      await waitFor(() => receiver.accepted.length === 3);
      expect(receiver.accepted.map(({ id }) => id).sort()).toEqual(first);
      await waitFor(async () => {
        const { rows } = await db.admin.query(
          `select count(*)::int as count from engine.deliveries where endpoint_id = $1 and status = 'delivered' and attempts = 2`,
          [endpointId],
        );
        return rows[0].count === 3;
      });
      const { rows: tries } = await db.admin.query(
        `select attempt, error_code from engine.delivery_tries order by delivery_id, attempt`,
      );
      expect(tries.slice(0, 2)).toEqual([
        { attempt: 1, error_code: 'webhook_interrupted' },
        { attempt: 2, error_code: null },
      ]);
    } finally {
      await heir.stop();
    }
  });

  it.each([
    ['webhook.taken', 0, 2],
    ['webhook.called_not_noted', 1, 2],
    ['webhook.before_commit', 1, 2],
    ['webhook.after_commit', 1, 1],
  ] as const)('at %s: the event arrives, once more at most, and is noted once', async (failpoint, before, attempts) => {
    const tenantId = newTenant();
    receiver.answer = answers.ok;
    const { endpoint_id: endpointId } = await buildEndpoint(db, tenantId, {
      url: `${receiver.url}/${endpointPath(failpoint)}`,
    });
    const mine = () => receiver.accepted.filter(({ path }) => path === `/${endpointPath(failpoint)}`);
    const doomed = await startProcess(failpoint);
    const ended = once(doomed, 'exit');
    await tell(tenantId, 1);
    expect(await ended).toEqual([null, 'SIGKILL']);
    await endLeases(endpointId);
    expect(mine()).toHaveLength(before);
    const heir = createDeliverer({ pool: db.engine, box: testBox, settings: patient, log: silentLog });
    heir.start();
    try {
      await waitFor(async () => (await rowOf(endpointId)).status === 'delivered');
    } finally {
      await heir.stop();
    }
    expect(mine()).toHaveLength(before + attempts - 1);
    expect(new Set(mine().map(({ id }) => id)).size).toBe(1);
    expect(await rowOf(endpointId)).toEqual({ status: 'delivered', attempts, failure_streak: 0 });
  });

  it('that was only frozen writes nothing over what its heir wrote', async () => {
    const tenantId = newTenant();
    receiver.answer = answers.status(500);
    const { endpoint_id: endpointId } = await buildEndpoint(db, tenantId, { url: receiver.url });
    await tell(tenantId, 1);
    const deps = { pool: db.engine, box: testBox, settings: quickWebhooks };
    const [held] = await claimDue(deps, 1);
    if (held === undefined) throw new Error('nothing was claimed');
    await endLeases(endpointId);
    await takeBackLost(db.engine, 10);
    const [taken] = await claimDue(deps, 1);
    expect(taken).toMatchObject({ delivery_id: held.delivery_id, attempts: 2 });
    expect((await deliver(deps, held)).outcome).toBe('lost');
    expect(await rowOf(endpointId)).toEqual({ status: 'sending', attempts: 2, failure_streak: 0 });
    receiver.answer = answers.ok;
    expect((await deliver(deps, taken ?? held)).outcome).toBe('delivered');
    expect((await deliver(deps, held)).outcome).toBe('lost');
    expect(await rowOf(endpointId)).toEqual({ status: 'delivered', attempts: 2, failure_streak: 0 });
  });

  it('that stops in good order gives back what it could not finish', async () => {
    const tenantId = newTenant();
    receiver.answer = answers.hang;
    const before = receiver.received.length;
    const { endpoint_id: endpointId } = await buildEndpoint(db, tenantId, { url: receiver.url });
    const settings = { ...quickWebhooks, timeoutMs: 30_000, drainMs: 50 };
    const sender = createDeliverer({ pool: db.engine, box: testBox, settings, log: silentLog });
    sender.start();
    await tell(tenantId, 1);
    await waitFor(() => receiver.received.length === before + 1);
    await sender.stop();
    expect(await rowOf(endpointId)).toEqual({ status: 'waiting', attempts: 1, failure_streak: 0 });
  });
});

function endpointPath(failpoint: string): string {
  return failpoint.replace('.', '-');
}

async function rowOf(endpointId: string) {
  const { rows } = await db.admin.query(
    `select d.status, d.attempts, e.failure_streak from engine.deliveries d join engine.webhook_endpoints e using (endpoint_id)
     where endpoint_id = $1`,
    [endpointId],
  );
  return rows[0];
}
