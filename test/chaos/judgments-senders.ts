// Who delivers batches: two API processes' worth of intake on one database, each with pools of its own, over the routes that a client uses.
import type { FastifyInstance } from 'fastify';
import { issueSession } from '../../src/access/login.ts';
import { createTenant } from '../../src/access/operator.ts';
import { deriveSecrets } from '../../src/access/secrets.ts';
import { inTenant } from '../../src/access/tenant-session.ts';
import { addUser } from '../../src/access/users.ts';
import { createApp } from '../../src/http/app.ts';
import { defaultHttpSettings } from '../../src/http/app-deps.ts';
import { batchHandlers } from '../../src/pipelines/judgments/http/batch-handlers.ts';
import { judgmentsPipeline } from '../../src/pipelines/judgments/judgments.pipeline.ts';
import { DiskBlobStore } from '../../src/platform/blob/disk-blob-store.ts';
import { createPool } from '../../src/platform/database.ts';
import { silentLog } from '../../src/platform/log.ts';
import { buildEngine } from '../support/engine.ts';
import { kitParts } from '../support/kit-parts.ts';
import { field, filePart, form, multipartType } from '../support/multipart.ts';

export interface Delivery {
  readonly batchId: string;
  readonly text: string;
  readonly supersede?: boolean;
}

export interface DeliveryAnswer {
  readonly status: number;
  readonly code?: string;
  readonly outcome?: string;
  readonly run_id?: string;
  readonly source_batch_id?: string;
}

export interface Senders {
  tenant(): Promise<{ readonly tenantId: string; readonly token: string }>;
  /** By the first intake, or by the second. */
  deliver(intake: 0 | 1, token: string, delivery: Delivery): Promise<DeliveryAnswer>;
  close(): Promise<void>;
}

const secrets = deriveSecrets(Buffer.alloc(32, 42));
const noPassword = `$2b$12$${'x'.repeat(53)}`;

export async function openSenders(url: string, folder: string): Promise<Senders> {
  const intakes = [await openIntake(url, folder), await openIntake(url, folder)] as const;
  const { pool } = intakes[0];
  return {
    async tenant() {
      const { tenant_id: tenantId } = await createTenant(pool, { name: 'Chaos' });
      const email = `admin-${tenantId}@example.test`;
      const user = await inTenant(pool, tenantId, (db) =>
        addUser(db, tenantId, { email, role: 'admin' }, noPassword, false),
      );
      const { token } = await issueSession(
        { secrets, expiryHours: 12 },
        { ...user, tenant_id: tenantId, token_version: 1 },
      );
      return { tenantId, token };
    },
    async deliver(intake, token, { batchId, text, supersede = false }) {
      const said = [field('source_batch_id', batchId), ...(supersede ? [field('supersede', 'true')] : [])];
      const answer = await intakes[intake].server.inject({
        method: 'POST',
        url: '/v1/batches',
        headers: { authorization: `Bearer ${token}`, 'content-type': multipartType },
        payload: form(...said, filePart('batch.csv', text)),
      });
      return { ...answer.json<Omit<DeliveryAnswer, 'status'>>(), status: answer.statusCode };
    },
    async close() {
      for (const intake of intakes) await intake.close();
    },
  };
}

async function openIntake(url: string, folder: string) {
  const store = new DiskBlobStore({ root: folder });
  const engine = await buildEngine(url, [judgmentsPipeline({ store })]);
  const pool = createPool({ url, max: 4, applicationName: 'chaos', connectTimeoutMs: 5_000 });
  const server: FastifyInstance = await createApp({
    settings: defaultHttpSettings,
    pool,
    secrets,
    engine,
    log: silentLog,
    handlers: batchHandlers({ store }),
    pipelines: kitParts(engine),
  });
  return {
    server,
    pool,
    async close() {
      await server.close();
      await engine.close();
      await pool.end();
      await store.close();
    },
  };
}
