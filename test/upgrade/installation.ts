// An installation of an earlier version, rebuilt from its frozen migrations and a dump of what its own code had written: runs in every
// phase, leases of dead and living workers, uploads killed half way with their checkpoints, events nobody has read, rejects, schedules.
// The dump was made by version 0.1.0 at migration 0055; it is data, and is never made again.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { migrate, migrationsFolder } from '../../src/platform/migrate.ts';
import { schema } from '../chaos/tally.ts';
import { setClockOffset } from '../support/database.ts';

export interface NamedRun {
  readonly tenantId: string;
  readonly runId: string;
}

type RunName =
  | 'adsDone'
  | 'adsGated'
  | 'adsParsing'
  | 'adsPromoting'
  | 'adsWaiting'
  | 'judgmentsDone'
  | 'judgmentsLoading'
  | 'held'
  | 'planned'
  | 'keyed'
  | 'cancelled';

interface Dump {
  /** When it was made, by the engine's clock. */
  readonly at: string;
  readonly roles: Readonly<Record<RunName, NamedRun>>;
  /** What the auditor expects, as the chaos suites write it. */
  readonly ledger: readonly object[];
  /** Stored bytes by key. */
  readonly files: Readonly<Record<string, string>>;
  readonly tables: Readonly<Record<string, readonly object[]>>;
}

export interface OldInstallation {
  /** How far the engine's clock is behind, so that nothing in the dump has grown old. */
  readonly secondsBack: number;
  readonly runs: Dump['roles'];
  readonly tables: Dump['tables'];
  /** The auditor's ledger. */
  readonly ledger: string;
  /** The blob store. */
  readonly store: string;
  remove(): void;
}

const LAST = '0055';

/** Fills an empty database. The engine's clock goes on from when the dump was made. */
export async function rebuildInstallation(url: string, appLogin: string): Promise<OldInstallation> {
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-upgrade-'));
  const dump = readDump();
  const secondsBack = (Date.parse(dump.at) - Date.now()) / 1000;
  await migrate({ url, appLogin, folder: copyFrozen(folder) });
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    await admin.query(schema);
    await setClockOffset(admin, `${secondsBack} seconds`);
    // The auditor compares these with the times of attempts.
    for (const table of ['effects', 'totals'])
      await admin.query(`alter table chaos.${table} alter written_at set default engine.now()`);
    // As a restore does it: no triggers, no order among the tables.
    await admin.query('set session_replication_role = replica');
    for (const [table, rows] of Object.entries(dump.tables)) await fill(admin, table, rows);
    // Their stages were slow, so that a worker could be stopped in the middle of them. Nobody waits for that now.
    await admin.query(`update engine.runs set input = jsonb_set(input, '{stepMs}', '0') where pipeline = 'tally'`);
  } finally {
    await admin.end();
  }
  const ledger = path.join(folder, 'ledger.jsonl');
  writeFileSync(ledger, dump.ledger.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  const store = path.join(folder, 'blobs');
  for (const [key, bytes] of Object.entries(dump.files)) {
    mkdirSync(path.dirname(path.join(store, key)), { recursive: true });
    writeFileSync(path.join(store, key), bytes);
  }
  return {
    secondsBack,
    runs: dump.roles,
    tables: dump.tables,
    ledger,
    store,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function readDump(): Dump {
  const packed = readFileSync(new URL(`installation-${LAST}.json.gz`, import.meta.url));
  return JSON.parse(gunzipSync(packed).toString('utf8')) as Dump;
}

/** The migrations the dump was made with; frozen, so today's files are those of then. */
function copyFrozen(folder: string): string {
  const frozen = path.join(folder, 'migrations');
  mkdirSync(frozen);
  for (const name of readdirSync(migrationsFolder))
    if (name.slice(0, LAST.length) <= LAST) cpSync(path.join(migrationsFolder, name), path.join(frozen, name));
  return frozen;
}

async function fill(admin: pg.Client, table: string, rows: readonly object[]): Promise<void> {
  const { rows: columns } = await admin.query<{ name: string; sequence: string | null }>(
    `select quote_ident(a.attname) as name, pg_get_serial_sequence($1, a.attname) as sequence
     from pg_attribute a
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`,
    [table],
  );
  const names = columns.map(({ name }) => name).join(', ');
  await admin.query(`delete from ${table}`);
  await admin.query(
    `insert into ${table} (${names}) overriding system value
     select ${names} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    [JSON.stringify(rows)],
  );
  for (const { name, sequence } of columns)
    if (sequence !== null) await admin.query(`select setval($1, (select max(${name}) from ${table}))`, [sequence]);
}
