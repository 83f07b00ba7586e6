// Cancelling a sync: the run ends, and whatever it started at Airbyte is cancelled too, also when nobody heard of it.
import { describe, expect, it } from 'vitest';
import { setClockOffset } from '../../../test/support/database.ts';
import { calm } from '../../../test/support/fake-airbyte/knobs.ts';
import { buildConnector } from '../../../test/support/syncs.ts';
import { useSyncs } from '../../../test/support/use-syncs.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { silentLog } from '../../platform/log.ts';
import { cancelSync } from './cancel-sync.ts';
import { settleDue } from './cancellations.ts';
import type { ConnectorRow } from './sql/connectors.ts';

/** What becomes of a trigger: it is answered, or its answer is lost after or before it had its effect. */
type Fate = 'answered' | 'lost after its effect' | 'lost before its effect';

const fates = new Map<string, Fate>();

const syncs = useSyncs({
  runMs: 60_000,
  beforeTrigger: (connection) => fates.get(connection) !== 'lost before its effect',
  beforeAnswer: ({ connectionId }) => fates.get(connectionId) !== 'lost after its effect',
});
const { db, dispatcher } = syncs;

const actor = () => ({ tenantId: syncs.tenantId, by: 'ada' });
const cancel = (jobId: string) => cancelSync(syncs.service, actor(), jobId, silentLog);
const start = async (fate: Fate): Promise<{ connector: ConnectorRow; jobId: string }> => {
  const connector = await buildConnector(syncs.service, syncs.airbyte, syncs.tenantId);
  fates.set(connector.connection_id, fate);
  const { job } = await dispatcher().dispatch({ connectorId: connector.connector_id });
  return { connector, jobId: job.job_id };
};
const states = (connector: ConnectorRow) =>
  syncs.airbyte.jobsOf(connector.connection_id).map((job) => (job.cancelledAt === undefined ? 'runs' : 'cancelled'));
const triggered = (connector: ConnectorRow) =>
  waitFor(async () => {
    const { rows } = await db.admin.query('select from sync_jobs where connector_id = $1', [connector.connector_id]);
    return rows.length > 0 && (fates.get(connector.connection_id) !== 'lost after its effect' || states(connector)[0]);
  });
const outcome = async (jobId: string) => {
  const { rows } = await db.admin.query<{ outcome: string | null; told: unknown[] | null }>(
    `select c.outcome, (select jsonb_agg(e.data) from engine.events e where e.type = 'job.cancelled' and e.data ->> 'job_id' = $1::text) as told
     from sync_cancellations c where c.job_id = $1::uuid`,
    [jobId],
  );
  return rows[0];
};
/** The canceller's rounds until nothing is open, with the pauses between its looks left out. */
const settleAll = async (minutes = 30) => {
  for (let minute = 0; minute < minutes; minute += 6) {
    await setClockOffset(db.admin, `${minute} minutes`);
    await settleDue(syncs.service, silentLog);
  }
};

describe('a sync that is cancelled', () => {
  it('while its job runs is cancelled at Airbyte before the answer is given', async () => {
    const { connector, jobId } = await start('answered');
    await waitFor(async () => (await dispatcher().job(jobId)).run_id);
    expect(await cancel(jobId)).toMatchObject({ status: 'cancelled', error_code: 'run_cancelled' });
    expect(states(connector)).toEqual(['cancelled']);
    const runId = (await dispatcher().job(jobId)).run_id;
    expect(await outcome(jobId)).toMatchObject({ outcome: 'cancelled', told: [{ job_id: jobId, run_id: runId }] });
  });

  it('while nobody knows whether its trigger was heard: the job it started is adopted and cancelled', async () => {
    const { connector, jobId } = await start('lost after its effect');
    await triggered(connector);
    const job = await cancel(jobId);
    expect(job).toMatchObject({ status: 'cancelled', error_code: 'run_cancelled' });
    expect(job.run_id).toBe(String(syncs.airbyte.jobsOf(connector.connection_id)[0]?.jobId));
    expect(states(connector)).toEqual(['cancelled']);
    expect(await outcome(jobId)).toMatchObject({ outcome: 'cancelled' });
  });

  it('while it waits for a retry after the answer was lost: the job that ran on is cancelled', async () => {
    const { connector, jobId } = await start('lost after its effect');
    await waitFor(async () => (await dispatcher().job(jobId)).status === 'failed');
    expect(states(connector)).toEqual(['runs']);
    await cancel(jobId);
    expect(states(connector)).toEqual(['cancelled']);
  });

  it('by the runs’ own cancel, in bulk or from elsewhere leaves no job at Airbyte either', async () => {
    const { connector, jobId } = await start('lost after its effect');
    await waitFor(async () => (await dispatcher().job(jobId)).status === 'failed');
    await syncs.service.engine.cancel(actor(), jobId);
    await waitFor(async () => (await outcome(jobId)) !== undefined, { what: 'the cancellation to be noted' });
    expect(states(connector)).toEqual(['runs']);
    await settleDue(syncs.service, silentLog);
    expect(states(connector)).toEqual(['cancelled']);
  });

  it('and whose trigger arrives only afterwards is cancelled as soon as its job appears', async () => {
    const { connector, jobId } = await start('lost before its effect');
    await triggered(connector);
    await cancel(jobId);
    expect((await outcome(jobId))?.outcome).toBeNull();
    syncs.airbyte.world.newJob(connector.connection_id, 'sync');
    await settleAll(12);
    expect(states(connector)).toEqual(['cancelled']);
    expect((await outcome(jobId))?.outcome).toBe('cancelled');
  });

  it('and whose trigger never arrived is settled after several looks without result', async () => {
    const { connector, jobId } = await start('lost before its effect');
    await triggered(connector);
    await cancel(jobId);
    await settleAll();
    expect(states(connector)).toEqual([]);
    expect(await outcome(jobId)).toMatchObject({ outcome: 'not_started', told: [{ run_id: null }] });
  });

  it('while Airbyte is down is cancelled there when it is back', async () => {
    const { connector, jobId } = await start('answered');
    await waitFor(async () => (await dispatcher().job(jobId)).run_id);
    syncs.airbyte.knobs = { ...calm, serverError: 1, effectBeforeLoss: 0 };
    expect(await cancel(jobId)).toMatchObject({ error_code: 'run_cancelled' });
    expect(states(connector)).toEqual(['runs']);
    syncs.airbyte.knobs = calm;
    await settleAll(12);
    expect(states(connector)).toEqual(['cancelled']);
  });

  it('before anything was sent to Airbyte leaves nothing to look for', async () => {
    await syncs.service.engine.stop();
    const { connector, jobId } = await start('answered');
    expect(await cancel(jobId)).toMatchObject({ error_code: 'run_cancelled' });
    await syncs.service.engine.start();
    expect([states(connector), await outcome(jobId)]).toEqual([[], undefined]);
  });

  it('is no dead letter: it is in no list of them, counts as no failure, and support cannot requeue it', async () => {
    const { connector, jobId } = await start('answered');
    await waitFor(async () => (await dispatcher().job(jobId)).run_id);
    await cancel(jobId);
    await waitFor(async () => (await outcome(jobId))?.told);
    const { rows } = await db.admin.query(
      `select (select count(*)::int from engine.dead_letters where id = $1) as letters,
              (select count(*)::int from ingestion_jobs where job_id = $1 and status = 'dead_letter') as printed,
              (select count(*)::int from engine.events where run_id = $1 and type in ('job.dead_lettered', 'run.dead')) as told,
              (select consecutive_failures from connectors where connector_id = $2) as failures`,
      [jobId, connector.connector_id],
    );
    expect(rows).toEqual([{ letters: 0, printed: 0, told: 0, failures: 0 }]);
    await expect(
      dispatcher().requeueFromDlq({ jobId, correlationId: 'TICKET-1', by: 'support' }),
    ).rejects.toMatchObject({ code: 'not_a_dead_letter' });
  });

  it('before anything was sent is told as cancelled too', async () => {
    await syncs.service.engine.stop();
    const { jobId } = await start('answered');
    await cancel(jobId);
    await syncs.service.engine.start();
    const told = () =>
      db.admin.query<{ data: unknown }>(`select data from engine.events where run_id = $1 and type = 'job.cancelled'`, [
        jobId,
      ]);
    await waitFor(async () => (await told()).rows.length > 0);
    expect((await told()).rows).toMatchObject([{ data: { job_id: jobId, run_id: null, outcome: 'not_started' } }]);
  });
});

describe('a sync after a cancelled one of the same connector', () => {
  it('starts a job of its own and does not adopt the one that is being cancelled', async () => {
    const { connector, jobId } = await start('lost after its effect');
    await waitFor(async () => (await dispatcher().job(jobId)).status === 'failed');
    await syncs.service.engine.cancel(actor(), jobId);
    await waitFor(async () => (await outcome(jobId)) !== undefined);
    fates.set(connector.connection_id, 'answered');
    await setClockOffset(db.admin, '1 minute');
    const { job } = await dispatcher().dispatch({ connectorId: connector.connector_id });
    await waitFor(async () => (await dispatcher().job(job.job_id)).run_id);
    expect(states(connector)).toEqual(['cancelled', 'runs']);
    expect((await outcome(jobId))?.outcome).toBe('cancelled');
    await settleAll();
    expect(states(connector)).toEqual(['cancelled', 'runs']);
  });

  it('keeps its job: the canceller does not take it for that of the cancelled run', async () => {
    const { connector, jobId } = await start('lost before its effect');
    await triggered(connector);
    await cancel(jobId);
    fates.set(connector.connection_id, 'answered');
    await setClockOffset(db.admin, '1 minute');
    const { job } = await dispatcher().dispatch({ connectorId: connector.connector_id });
    await waitFor(async () => (await dispatcher().job(job.job_id)).run_id);
    await settleAll();
    expect(states(connector)).toEqual(['runs']);
    expect((await outcome(jobId))?.outcome).toBe('taken_over');
  });
});
