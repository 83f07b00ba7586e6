// npm run bench -- history: drains and lists with ten million ended runs in the history, beside the same with none.
import { issueSession } from '../../src/access/login.ts';
import { createTenant, createUser } from '../../src/access/operator.ts';
import { deriveSecrets } from '../../src/access/secrets.ts';
import { defaultHttpSettings } from '../../src/http/app-deps.ts';
import { startApi } from '../../src/http/start-api.ts';
import { createPool } from '../../src/platform/database.ts';
import { silentLog } from '../../src/platform/log.ts';
import { buildEngine, buildPipeline } from '../support/engine.ts';
import { benchRunsList, fillHistory } from './http-runs.ts';
import { type Ground, openArena } from './queue/arena.ts';
import { drainOn, settle } from './queue/measures.ts';
import { type BenchOptions, type BenchResult, describeMachine, type Figure, rate } from './report.ts';

const full = { runs: 10_000_000, drain: 30_000, rounds: 5, requests: 200 };
const quick = { runs: 200_000, drain: 10_000, rounds: 3, requests: 60 };

export async function benchHistory({ quick: isQuick, say }: BenchOptions): Promise<BenchResult> {
  const dose = isQuick ? quick : full;
  const arena = await openArena();
  try {
    const empty = await arena.ground('millrace');
    const crowded = await arena.ground('millrace');
    for (const ground of [empty, crowded]) await settle(ground, 'millrace');
    const figures = [await benchLists(crowded, dose, say), await benchDrains(empty, crowded, dose, say)];
    return { machine: { ...describeMachine(['pg']), ...arena.settings, ...dose }, figures };
  } finally {
    await arena.close();
  }
}

async function benchLists(ground: Ground, dose: typeof full, say: (line: string) => void): Promise<Figure> {
  const options = { url: ground.adminUrl, max: 10, applicationName: 'bench', connectTimeoutMs: 10_000 };
  const pool = createPool({ ...options, role: 'millrace_app' });
  const engine = await buildEngine(
    ground.adminUrl,
    ['plain', 'other'].map((name) => buildPipeline(name, async () => 'complete')),
  );
  const secrets = deriveSecrets(Buffer.alloc(32, 1));
  try {
    const { tenant_id: tenantId } = await createTenant(pool, { name: 'Bench' });
    const { user } = await createUser(pool, { tenantId, email: 'bench@example.test', role: 'service' });
    await ground.admin.query('update users set must_change_password = false');
    const account = { ...user, tenant_id: tenantId, token_version: 1, must_change_password: false };
    const { token } = await issueSession({ secrets, expiryHours: 9 }, account);
    await fillHistory(ground.admin, tenantId, dose.runs, say);
    const api = await startApi({
      settings: { ...defaultHttpSettings, port: 0 },
      log: silentLog,
      pool,
      secrets,
      engine,
    });
    try {
      const { url } = api;
      const { runs: count, requests } = dose;
      const list = await benchRunsList({ url, token, pool, say, count, requests, isPast: true });
      return { ...list, id: 'past-list-p95' };
    } finally {
      await api.close();
    }
  } finally {
    await engine.close();
    await pool.end();
  }
}

/** In turns, so that what else the machine does falls on both. */
async function benchDrains(
  empty: Ground,
  past: Ground,
  dose: typeof full,
  say: (line: string) => void,
): Promise<Figure> {
  const ratios: number[] = [];
  for (let round = 0; round <= dose.rounds; round += 1) {
    const without = await drainOn(empty, 'millrace', dose.drain, 1);
    const withPast = await drainOn(past, 'millrace', dose.drain, 1);
    say(
      `  drain: ${Math.round(withPast.drainedPerSecond)} /s with a history, ${Math.round(without.drainedPerSecond)} /s without`,
    );
    if (round > 0) ratios.push(withPast.drainedPerSecond / without.drainedPerSecond);
  }
  return rate('past-ratio', ratios, '×', {});
}
