// Stale runs: what PROCESSING_TIMEOUT_HOURS and CRASH_GUARD_* mean for the alert and for the specification's view.
import { beforeAll, describe, expect, it } from 'vitest';
import { evaluate } from '../../../test/support/alerts.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import { createEnginePools } from '../../engine/engine-pools.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { silentLog } from '../../platform/log.ts';

const db = useDatabase();
const tenantId = newTenant();
const silent = uuidv7();
const alive = uuidv7();

beforeAll(async () => {
  await db.admin.query(
    `insert into engine.workers (worker_id, name, pid, host, version, pipelines, concurrency, expires_at)
     values ($1, 'silent', 1, 'h', 'test', '{judgments}', 1, engine.now() - interval '1 minute'),
            ($2, 'alive', 2, 'h', 'test', '{judgments,documents}', 1, engine.now() + interval '1 hour')`,
    [silent, alive],
  );
  await lease('judgments', silent, '90 minutes');
  await lease('judgments', alive, '9 hours');
  await lease('documents', silent, '20 minutes');
});

async function lease(pipeline: string, workerId: string, since: string): Promise<void> {
  const runId = uuidv7();
  await db.admin.query(
    `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, unique_key, attempt, started_at)
     values ($1, $2, $3, 'processing', 'active', 'x', '{}', $1::uuid::text, 1, engine.now() - $4::interval)`,
    [runId, tenantId, pipeline, since],
  );
  await db.admin.query(
    `insert into engine.leases (run_id, attempt, worker_id, tenant_id, pipeline, lane, stage, capped, queued_at, claimed_at)
     values ($1, 1, $2, $3, $4, 'x', 'work', false, engine.now(), engine.now() - $5::interval)`,
    [runId, workerId, tenantId, pipeline, since],
  );
}

/** `judgments`: at work; `documents`: at work, queued. In seconds. */
async function staleAlerts({ judgments = 3_600, documents = 900, queued = 3_600 }): Promise<string[]> {
  await db.admin.query('delete from engine.alerts');
  await evaluate(db, {
    pipelines: {
      judgments: { staleAfter: { atWorkSeconds: judgments } },
      documents: { staleAfter: { atWorkSeconds: documents, queuedSeconds: queued } },
    },
  });
  const { rows } = await db.admin.query<{ subject: string; value: number }>(
    `select subject, value from engine.alerts where tenant_id = $1 and rule = 'stale_runs' order by subject`,
    [tenantId],
  );
  return rows.map(({ subject, value }) => `${subject} ${value}`);
}

describe('the alert on stale runs', () => {
  it('counts runs beyond the limit of their kit whose worker is silent, not long ones whose worker lives', async () => {
    expect(await staleAlerts({})).toEqual(['documents 1', 'judgments 1']);
    expect(await staleAlerts({ judgments: 7_200 })).toEqual(['documents 1']);
    expect(await staleAlerts({ documents: 1_800 })).toEqual(['judgments 1']);
  });

  it('counts documents that wait too long while workers for them live', async () => {
    const runId = uuidv7();
    await db.admin.query(
      `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input) values ($1, $2, 'documents', 'queued', 'waiting', 'x', '{}')`,
      [runId, tenantId],
    );
    await db.admin.query(
      `insert into engine.ready (pipeline, lane, priority, run_id, queued_at) values ('documents', 'x', 0, $1, engine.now() - interval '2 hours')`,
      [runId],
    );
    expect(await staleAlerts({ queued: 3_600 })).toEqual(['documents 2', 'judgments 1']);
    expect(await staleAlerts({ queued: 10_800 })).toEqual(['documents 1', 'judgments 1']);
    await db.admin.query(`update engine.workers set expires_at = engine.now() - interval '1 minute'`);
    expect(await staleAlerts({ queued: 3_600, judgments: 86_400 })).toEqual(['documents 1']);
  });
});

describe('ingest.v_stale_runs', () => {
  it.each([
    [1, 1],
    [2, 0],
  ])('with PROCESSING_TIMEOUT_HOURS = %i lists %i of the silent batches', async (hours, expected) => {
    await db.admin.query(
      `update engine.workers set expires_at = engine.now() + interval '1 hour' where worker_id = $1`,
      [alive],
    );
    const pools = createEnginePools({
      url: db.appUrl,
      controlSize: 1,
      effectsSize: 1,
      connectTimeoutMs: 5_000,
      leaseMs: 60_000,
      log: silentLog,
      sessionSettings: { 'millrace.processing_timeout_hours': String(hours) },
    });
    try {
      for (const pool of [pools.control, pools.effects]) {
        const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from ingest.v_stale_runs');
        expect(rows[0]?.count).toBe(expected);
      }
    } finally {
      await pools.close();
    }
  });
});
