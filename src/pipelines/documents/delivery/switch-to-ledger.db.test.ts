// After INGEST_MODE=http or queue, back to the ledger: what waits for a delivery that nobody makes any more is not left to wait.
import { expect, it } from 'vitest';
import { prose, useDocuments } from '../../../../test/support/documents.ts';
import { buildEngine } from '../../../../test/support/engine.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { silentLog } from '../../../platform/log.ts';
import { documentsPipeline } from '../documents.pipeline.ts';
import { addDeliveries } from '../sql/deliveries.ts';
import { asDelivery, DELIVERY_CONSUMER } from './delegator.ts';
import { createWaitingReleaser } from './release-waiting.ts';

const HOUR_MS = 3_600_000;
/** As a process of the other mode took uploads, and is gone. */
const bench = useDocuments({ overdueAfterMs: HOUR_MS }, silentLog, { roles: {} });

it('runs that wait for a delivery are claimed at once, and nothing is kept for the consumer that is gone', async () => {
  const { body } = await bench.upload(prose(950).join('\n'), 'waits-for-nobody.txt');
  const runId = body.run_id ?? '';
  const { tenantId } = bench.admin;
  await asDelivery(bench, (tx) => addDeliveries(tx, [{ runId, tenantId }]));
  await bench.db.admin.query('insert into engine.consumers (consumer) values ($1)', [DELIVERY_CONSUMER]);
  // A run that has begun before keeps the time its retry was planned for.
  const { body: other } = await bench.upload(prose(951).join('\n'), 'waits-for-its-retry.txt');
  await bench.db.admin.query('update engine.runs set attempt = 1 where id = $1', [other.run_id]);

  const engine = await buildEngine(bench.db.appUrl, [documentsPipeline({ ...bench.deps, overdueAfterMs: undefined })]);
  const releaser = createWaitingReleaser(engine, silentLog);
  try {
    await engine.start();
    releaser.start();
    expect(await bench.ended(runId)).toMatchObject({ status: 'succeeded', attempt: 1 });
    await waitFor(async () => (await bench.count('document_deliveries')) === 0 || undefined, { what: 'no delivery' });
    expect(await bench.count('engine.consumers', `consumer = '${DELIVERY_CONSUMER}'`)).toBe(0);
    expect(await bench.engine.run(tenantId, other.run_id ?? '')).toMatchObject({ phase: 'waiting' });
    expect(await bench.count('engine.scheduled', `run_id = '${other.run_id}'`)).toBe(1);
  } finally {
    await releaser.stop();
    await engine.close();
  }
});
