// The examination: one finding per question, in order, each with what to do about it. Later questions that need an answer the
// earlier ones could not give are left out, so that one cause is reported once.
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { auditSecurity } from '../../access/security-audit.ts';
import { readQueueSigns, readScheduleSigns } from '../../engine/reads/read-vital-signs.ts';
import { blobSettings, openBlobStore } from '../../platform/blob/open-blob-store.ts';
import { type Config, specSettings } from '../../platform/config.ts';
import { connectClient, describeTarget, type Queryable } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { isLoopback } from '../../platform/loopback.ts';
import { type MigrateOptions, requireCurrentSchema } from '../../platform/migrate.ts';
import { type OpenDatabase, openDatabase } from '../../platform/open-database.ts';
import { describeFailure } from '../failure.ts';
import { formatCount, plural } from '../output.ts';
import { formatDuration } from '../times.ts';
import { checkAlerts } from './check-alerts.ts';
import { checkPooler } from './check-pooler.ts';
import { checkProgress } from './check-progress.ts';
import type { DoctorCheck, Finding } from './finding.ts';
import { readServerTime, readServerVersion } from './sql/read-server.ts';

export type { Finding };

type Report = (finding: Finding) => void;

const oldestServer = 150_000;
const engineRole = 'millrace_engine';
const skew = { warnMs: 2_000, failMs: 30_000 };
const disk = { warnBytes: 2 * 1024 ** 3, failBytes: 256 * 1024 ** 2 };
const longWaitS = 60;

/** What the pipelines bring to the doctor. */
export interface Examined extends Pick<MigrateOptions, 'own'> {
  /** What they ask beside Millrace's own questions. */
  readonly checks?: readonly DoctorCheck[];
}

export async function examine(config: Config, log: Log, report: Report, examined: Examined = {}): Promise<void> {
  await ask(report, 'disk', () => checkDisk(config.home));
  await ask(report, 'blob store', () => checkBlobStore(config));
  let database: OpenDatabase | undefined;
  try {
    database = await openDatabase(config, log);
    await examineDatabase(database, config, report, examined);
  } catch (error) {
    report(failed('database', error));
  } finally {
    await database?.stop();
  }
}

async function examineDatabase(
  database: OpenDatabase,
  config: Config,
  report: Report,
  { checks = [], own }: Examined,
): Promise<void> {
  const options = { applicationName: 'millrace doctor', connectTimeoutMs: config.databaseConnectTimeoutMs };
  // As the migrating user first: the roles may not be there yet.
  const admin = await connectClient({ ...options, url: database.adminUrl });
  try {
    report(await checkVersion(admin, database));
    if (!(await ask(report, 'schema', () => checkSchema(admin, own)))) return;
  } finally {
    await admin.end();
  }
  if (!(await ask(report, 'connections', () => checkPooler(database, options.connectTimeoutMs)))) return;
  const sessionSettings = specSettings(config);
  const engine = await connectClient({ ...options, url: database.directUrl, role: engineRole, sessionSettings });
  try {
    await ask(report, 'row security', () => checkSecurity(engine));
    for (const check of checks) await ask(report, check.name, () => check.ask(engine, config));
    await ask(report, 'clock', () => checkClock(engine));
    await ask(report, 'workers', () => checkWorkers(engine));
    await ask(report, 'runs', () => checkRuns(engine));
    await ask(report, 'progress', () => checkProgress(engine, config.noEndMinutes));
    await ask(report, 'events', () => checkEvents(engine));
    await ask(report, 'schedules', () => checkSchedules(engine));
    await ask(report, 'alerts', () => checkAlerts(engine, isTrial(config)));
  } finally {
    await engine.end();
  }
}

function isTrial({ host, databaseUrl }: Config): boolean {
  return isLoopback(host) && databaseUrl === undefined;
}

/** True when the answer was not a failure. */
async function ask(report: Report, check: string, question: () => Promise<Finding>): Promise<boolean> {
  const finding = await question().catch((error: unknown) => failed(check, error));
  report(finding);
  return finding.state !== 'fail';
}

async function checkVersion(db: Queryable, { kind, appUrl }: OpenDatabase): Promise<Finding> {
  const version = await readServerVersion(db);
  const detail = `Postgres ${version.text} ${kind === 'embedded' ? '(embedded) ' : ''}at ${describeTarget(appUrl)} answers`;
  if (version.number >= oldestServer) return { check: 'database', state: 'ok', detail };
  return {
    check: 'database',
    state: 'fail',
    detail: `${detail}, but 15 or newer is needed`,
    fix: 'Upgrade the server, or unset DATABASE_URL to use the embedded one.',
  };
}

async function checkSchema(db: Queryable, own: Examined['own']): Promise<Finding> {
  await requireCurrentSchema(db, own === undefined ? {} : { own });
  return { check: 'schema', state: 'ok', detail: 'up to date' };
}

async function checkSecurity(db: Queryable): Promise<Finding> {
  const findings = await auditSecurity(db);
  const grave = findings.filter(({ what }) => what !== 'login');
  const shown = (grave.length > 0 ? grave : findings).map(({ what, name, problem }) => `${what} ${name}: ${problem}`);
  if (grave.length > 0)
    return {
      check: 'row security',
      state: 'fail',
      detail: shown.join('; '),
      fix: 'Restore the protection (see docs/operations.md, "Row-level security"), then run the doctor again.',
    };
  if (findings.length > 0)
    return {
      check: 'row security',
      state: 'warn',
      detail: shown.join('; '),
      fix: 'Let DATABASE_URL name a login that owns nothing, and put the owner into DATABASE_MIGRATION_URL.',
    };
  return { check: 'row security', state: 'ok', detail: 'every tenant’s table is guarded; no role can bypass it' };
}

async function checkClock(db: Queryable): Promise<Finding> {
  const before = Date.now();
  const there = await readServerTime(db);
  const after = Date.now();
  // The server read its clock at some moment in between.
  const apartMs = Math.max(0, Math.abs(there.getTime() - (before + after) / 2) - (after - before) / 2);
  const detail = `this machine and the database are ${formatDuration(apartMs)} apart`;
  if (apartMs < skew.warnMs) return { check: 'clock', state: 'ok', detail };
  const state = apartMs < skew.failMs ? 'warn' : 'fail';
  return { check: 'clock', state, detail, fix: 'Switch on time synchronisation (NTP) on both machines.' };
}

async function checkWorkers(db: Queryable): Promise<Finding> {
  const { workers_alive: alive, waiting, oldest_waiting_s: oldestS } = await readQueueSigns(db);
  if (alive > 0 && (oldestS ?? 0) < longWaitS)
    return {
      check: 'workers',
      state: 'ok',
      detail: `${plural(alive, 'worker')} alive, ${plural(waiting, 'run')} waiting`,
    };
  if (alive > 0)
    return {
      check: 'workers',
      state: 'warn',
      detail: `${plural(waiting, 'run')} waiting, the oldest for ${formatDuration((oldestS ?? 0) * 1_000)}`,
      fix: '"millrace runs list --phase waiting" and "millrace why RUN" say what they wait for.',
    };
  return {
    check: 'workers',
    state: 'warn',
    detail: `no worker is alive${waiting > 0 ? `, ${plural(waiting, 'run')} waiting` : ''}`,
    fix: 'Run "millrace start" or "millrace worker".',
  };
}

async function checkRuns(db: Queryable): Promise<Finding> {
  const { stale, active, dead_letters: dead } = await readQueueSigns(db);
  if (stale > 0)
    return {
      check: 'runs',
      state: 'warn',
      detail: `${plural(stale, 'run')} held by a worker that has gone silent`,
      fix: 'They are taken over as soon as a worker or scheduler runs: "millrace worker".',
    };
  if (dead > 0)
    return {
      check: 'runs',
      state: 'warn',
      detail: `${plural(dead, 'dead letter')} waiting for a person`,
      fix: '"millrace dead-letters list", then requeue each.',
    };
  return { check: 'runs', state: 'ok', detail: `${formatCount(active)} active, none stale, no dead letters` };
}

async function checkEvents(db: Queryable): Promise<Finding> {
  const { events_stuck: stuck } = await readQueueSigns(db);
  if (stuck === 0) return { check: 'events', state: 'ok', detail: 'every event is delivered' };
  return {
    check: 'events',
    state: 'warn',
    detail: `${plural(stuck, 'event')} not delivered for more than a minute`,
    fix: 'Run "millrace start" or "millrace scheduler": one process must deliver the events of the outbox.',
  };
}

async function checkSchedules(db: Queryable): Promise<Finding> {
  const { enabled, set_aside: aside, failing, overdue, example } = await readScheduleSigns(db);
  if (aside + failing + overdue === 0)
    return { check: 'schedules', state: 'ok', detail: `${plural(enabled, 'schedule')} on, none in trouble` };
  const counts = [`${aside} set aside`, `${failing} failing`, `${overdue} overdue`].join(', ');
  return {
    check: 'schedules',
    state: 'warn',
    detail: `of ${plural(enabled, 'schedule')}: ${counts}; ${example}`,
    fix: 'Save a schedule that is set aside again with a cron expression and time zone that exist; for an overdue one start a process that knows its pipeline.',
  };
}

async function checkDisk(home: string): Promise<Finding> {
  const folder = await nearestExisting(path.resolve(home));
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const detail = `${(free / 1024 ** 3).toFixed(1)} GB free under ${path.resolve(home)}`;
  if (free >= disk.warnBytes) return { check: 'disk', state: 'ok', detail };
  const state = free >= disk.failBytes ? 'warn' : 'fail';
  return { check: 'disk', state, detail, fix: 'Free some space, or move MILLRACE_HOME to a larger disk.' };
}

async function checkBlobStore(config: Config): Promise<Finding> {
  const settings = blobSettings(config);
  const store = await openBlobStore(settings);
  try {
    await store.check();
  } finally {
    await store.close();
  }
  const where = settings.kind === 'disk' ? settings.root : `bucket ${settings.bucket}`;
  return { check: 'blob store', state: 'ok', detail: `${where} can be written to` };
}

function failed(check: string, error: unknown): Finding {
  const { message, next } = describeFailure(error);
  return { check, state: 'fail', detail: message, fix: next };
}

async function nearestExisting(folder: string): Promise<string> {
  const isThere = await statfs(folder).then(
    () => true,
    () => false,
  );
  const parent = path.dirname(folder);
  return isThere || parent === folder ? folder : nearestExisting(parent);
}
