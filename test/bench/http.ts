// npm run bench -- http: the API. Uploads beside a bare Node server, lists over a million runs, a thousand live readers.
import { setDefaultResultOrder } from 'node:dns';
import { issueSession } from '../../src/access/login.ts';
import { createTenant, createUser } from '../../src/access/operator.ts';
import { deriveSecrets } from '../../src/access/secrets.ts';
import { defaultHttpSettings } from '../../src/http/app-deps.ts';
import { startApi } from '../../src/http/start-api.ts';
import { connectClient, createPool } from '../../src/platform/database.ts';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { silentLog } from '../../src/platform/log.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { buildEngine, buildPipeline } from '../support/engine.ts';
import { makeTempHome, removeTempHome } from '../support/temp-home.ts';
import { benchRunsList, fillRuns } from './http-runs.ts';
import { benchStreams } from './http-streams.ts';
import { benchUpload } from './http-upload.ts';
import { type BenchOptions, type BenchResult, describeMachine, type Figure } from './report.ts';

const full = { runs: 1_000_000, requests: 200, readers: 1_000, events: 20, rounds: 7 };
const quick = { runs: 100_000, requests: 60, readers: 200, events: 8, rounds: 3 };

export async function benchHttp({ quick: isQuick, say }: BenchOptions): Promise<BenchResult> {
  setDefaultResultOrder('ipv4first');
  const dose = isQuick ? quick : full;
  const machine = describeMachine(['fastify', 'pg']);
  const figures: Figure[] = [];
  say('uploads beside a bare Node server');
  figures.push(...(await benchUpload({ rounds: dose.rounds })));
  figures.push(...(await withServer(dose, say)));
  return { machine: { ...machine, ...dose }, figures };
}

async function withServer(dose: typeof full, say: (line: string) => void): Promise<Figure[]> {
  const home = makeTempHome('bench-http');
  const database = await startEmbeddedPostgres({ home, log: silentLog });
  await migrate({ url: database.adminUrl });
  const pool = createPool({
    url: database.adminUrl,
    role: 'millrace_app',
    max: 10,
    applicationName: 'bench',
    connectTimeoutMs: 5_000,
  });
  const plain = buildPipeline('plain', async () => 'complete');
  const engine = await buildEngine(database.adminUrl, [plain, buildPipeline('other', async () => 'complete')]);
  const secrets = deriveSecrets(Buffer.alloc(32, 1));
  try {
    await engine.start({ services: true });
    const { tenant_id: tenantId } = await createTenant(pool, { name: 'Bench' });
    const { user } = await createUser(pool, { tenantId, email: 'bench@example.test', role: 'service' });
    const account = { ...user, tenant_id: tenantId, token_version: 1, must_change_password: false };
    await acceptWithoutNewPassword(database.adminUrl);
    const { token } = await issueSession({ secrets, expiryHours: 1 }, account);
    const settings = { ...defaultHttpSettings, port: 0 };
    const api = await startApi({ settings, log: silentLog, pool, secrets, engine });
    try {
      say(`lists over ${dose.runs.toLocaleString('en')} runs`);
      const admin = await connectClient({ url: database.adminUrl, applicationName: 'bench', connectTimeoutMs: 5_000 });
      await fillRuns(admin, tenantId, dose.runs);
      await admin.end();
      const shared = { url: api.url, token, say };
      const list = await benchRunsList({ ...shared, pool, count: dose.runs, requests: dose.requests });
      say('live readers');
      const stream = await benchStreams({ ...shared, engine, tenantId, readers: dose.readers, events: dose.events });
      return [list, stream];
    } finally {
      await api.close();
    }
  } finally {
    await engine.close();
    await pool.end();
    await database.stop();
    removeTempHome(home);
  }
}

async function acceptWithoutNewPassword(url: string): Promise<void> {
  const admin = await connectClient({ url, applicationName: 'bench', connectTimeoutMs: 5_000 });
  await admin.query('update users set must_change_password = false');
  await admin.end();
}
