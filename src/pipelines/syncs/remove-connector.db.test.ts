// Removing a connector: its live sync is cancelled, here and at Airbyte, whatever state it is in and whether or not Airbyte answers.
import { describe, expect, it } from 'vitest';
import { setClockOffset } from '../../../test/support/database.ts';
import { calm } from '../../../test/support/fake-airbyte/knobs.ts';
import { buildConnector } from '../../../test/support/syncs.ts';
import { useSyncs } from '../../../test/support/use-syncs.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { silentLog } from '../../platform/log.ts';
import { settleDue } from './cancellations.ts';
import { removeConnector } from './remove-connector.ts';
import type { ConnectorRow } from './sql/connectors.ts';

/** Connections whose triggers have their effect while the answer is lost. */
const deaf = new Set<string>();

const syncs = useSyncs({ runMs: 60_000, beforeAnswer: ({ connectionId }) => !deaf.has(connectionId) });
const { db, dispatcher } = syncs;

const actor = () => ({ tenantId: syncs.tenantId, by: 'ada' });
const remove = ({ connector_id: id }: ConnectorRow) => removeConnector(syncs.service, actor(), id, silentLog);
const connect = (wish = {}) => buildConnector(syncs.service, syncs.airbyte, syncs.tenantId, wish);
const start = async ({ connector_id: connectorId }: ConnectorRow) =>
  (await dispatcher().dispatch({ connectorId })).job.job_id;
const triggered = (jobId: string) => waitFor(async () => (await dispatcher().job(jobId)).run_id);
const states = ({ connection_id: id }: ConnectorRow) =>
  syncs.airbyte.jobsOf(id).map((job) => (job.cancelledAt === undefined ? 'runs' : 'cancelled'));
const isGone = async ({ connector_id: id }: ConnectorRow) => {
  const { rows } = await db.admin.query('select from connectors where connector_id = $1', [id]);
  return rows.length === 0;
};
const settled = async (jobId: string) => {
  const { rows } = await db.admin.query('select outcome, credential from sync_cancellations where job_id = $1', [
    jobId,
  ]);
  return rows[0] as { outcome: string | null; credential: Buffer | null } | undefined;
};

describe('a connector that is removed', () => {
  it('while its Airbyte job runs takes the job with it: both are over when the answer comes', async () => {
    const connector = await connect();
    const jobId = await start(connector);
    await triggered(jobId);
    await remove(connector);
    expect([await isGone(connector), states(connector)]).toEqual([true, ['cancelled']]);
    const job = await dispatcher().job(jobId);
    expect(job).toMatchObject({ status: 'cancelled', error_code: 'run_cancelled' });
    expect(job.error_message).toContain('ada');
  });

  it('while its sync waits for a worker never triggers anything', async () => {
    await syncs.service.engine.stop();
    const connector = await connect();
    const jobId = await start(connector);
    await remove(connector);
    await syncs.service.engine.start();
    expect((await dispatcher().job(jobId)).status).toBe('cancelled');
    expect([await isGone(connector), states(connector)]).toEqual([true, []]);
  });

  it('while nobody knows whether the trigger was heard: the job it started is found and cancelled', async () => {
    const connector = await connect();
    deaf.add(connector.connection_id);
    const jobId = await start(connector);
    await waitFor(async () => (await dispatcher().job(jobId)).status === 'failed');
    expect(states(connector)).toEqual(['runs']);
    await remove(connector);
    expect([states(connector), (await settled(jobId))?.outcome]).toEqual([['cancelled'], 'cancelled']);
  });

  it('while Airbyte is down keeps its credential, sealed, until the job is cancelled, and no longer', async () => {
    syncs.airbyte.world.clients.set('client-7', 'open sesame');
    const connector = await connect({
      credential: { kind: 'client', clientId: 'client-7', clientSecret: 'open sesame' },
    });
    const jobId = await start(connector);
    await triggered(jobId);
    syncs.airbyte.knobs = { ...calm, serverError: 1, effectBeforeLoss: 0 };
    await remove(connector);
    expect([await isGone(connector), states(connector)]).toEqual([true, ['runs']]);
    const kept = (await settled(jobId))?.credential;
    expect(kept?.length).toBeGreaterThan(0);
    expect(kept?.toString('latin1')).not.toContain('sesame');
    syncs.airbyte.knobs = calm;
    await setClockOffset(db.admin, '1 minute');
    await settleDue(syncs.service, silentLog);
    expect([states(connector), await settled(jobId)]).toEqual([
      ['cancelled'],
      { outcome: 'cancelled', credential: null },
    ]);
  });

  it('just after its sync was cancelled elsewhere leaves no job behind either', async () => {
    const connector = await connect();
    const jobId = await start(connector);
    await triggered(jobId);
    // Nobody reads the outbox: the cancel is not noted when the connector goes.
    await syncs.service.engine.stop();
    await syncs.service.engine.cancel(actor(), jobId);
    expect(await settled(jobId)).toBeUndefined();
    await remove(connector);
    await settleDue(syncs.service, silentLog);
    await syncs.service.engine.start();
    expect(states(connector)).toEqual(['cancelled']);
  });

  it('and whose connection is added again: the new sync starts a job of its own, which is not cancelled', async () => {
    const connector = await connect();
    deaf.add(connector.connection_id);
    const jobId = await start(connector);
    await waitFor(async () => (await dispatcher().job(jobId)).status === 'failed');
    syncs.airbyte.knobs = { ...calm, serverError: 1, effectBeforeLoss: 0 };
    await remove(connector);
    syncs.airbyte.knobs = calm;
    deaf.delete(connector.connection_id);
    const again = await connect({ connectionId: connector.connection_id });
    await triggered(await start(again));
    expect(states(again)).toEqual(['cancelled', 'runs']);
    await setClockOffset(db.admin, '10 minutes');
    await settleDue(syncs.service, silentLog);
    expect(states(again)).toEqual(['cancelled', 'runs']);
    await remove(again);
  });

  it('has no sync triggered for it, even one that a worker takes at that moment', async () => {
    const connector = await connect();
    await syncs.service.engine.stop();
    const jobId = await start(connector);
    await db.admin.query('delete from connectors where connector_id = $1', [connector.connector_id]);
    await syncs.service.engine.start();
    await waitFor(async () => (await dispatcher().job(jobId)).status === 'cancelled');
    expect((await dispatcher().job(jobId)).error_message).toContain('the removal of its connector');
    expect(states(connector)).toEqual([]);
  });

  it('leaves dead letters that cannot be requeued: the answer names the connector that is gone', async () => {
    const connector = await connect();
    syncs.airbyte.knobs = { ...calm, unauthorized: 1 };
    const jobId = await start(connector);
    await waitFor(async () => (await dispatcher().job(jobId)).status === 'dead_letter');
    syncs.airbyte.knobs = calm;
    await remove(connector);
    await expect(
      dispatcher().requeueFromDlq({ jobId, correlationId: 'TICKET-1', by: 'support' }),
    ).rejects.toMatchObject({ code: 'connector_not_found' });
  });

  it('twice is not found the second time', async () => {
    const connector = await connect();
    await remove(connector);
    await expect(remove(connector)).rejects.toMatchObject({ code: 'connector_not_found' });
    await expect(removeConnector(syncs.service, actor(), uuidv7(), silentLog)).rejects.toMatchObject({
      code: 'connector_not_found',
    });
  });
});
