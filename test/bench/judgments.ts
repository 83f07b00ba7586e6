// npm run bench -- judgments: a batch of 200,000 judgments, first load and identical re-load, against raw SQL in the same run.
//
// Raw SQL is the specification's pattern done as fast as one connection can: COPY into a staging table with the same keys, one upsert
// of plaintiffs, one upsert of judgments. It parses nothing, refuses nothing, recognises nobody by two keys, and has no receipt.
// Ours is timed from the moment the run is accepted (its bytes are stored) to its end. Order alternates; median of the rounds.
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { recordBlob } from '../../src/engine/blobs/blobs.ts';
import { storeFile } from '../../src/engine/blobs/store-file.ts';
import { kitRoles } from '../../src/pipelines/all.ts';
import { judgmentsPipeline } from '../../src/pipelines/judgments/judgments.pipeline.ts';
import { DiskBlobStore } from '../../src/platform/blob/disk-blob-store.ts';
import { connectClient } from '../../src/platform/database.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { silentLog } from '../../src/platform/log.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { openDatabase } from '../../src/platform/open-database.ts';
import { buildEngine } from '../support/engine.ts';
import { judgmentsHeader } from '../support/judgments.ts';
import { makeTempHome, removeTempHome } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { type BenchOptions, type BenchResult, describeMachine, median, time } from './report.ts';

const ROWS = 200_000;
const QUICK_ROWS = 40_000;
const counties = ['Kings', 'Queens', 'Bronx', 'Nassau', 'Suffolk', 'Erie', 'Monroe', 'Albany'];
const names = ['Smith', 'Nguyen', 'García', 'Müller', 'O’Brien', 'Kowalski', 'Lee', 'Okafor', 'Haddad', 'Ivanova'];

interface Round {
  readonly first: number;
  readonly again: number;
}

export async function benchJudgments({ quick, say }: BenchOptions): Promise<BenchResult> {
  const rows = quick ? QUICK_ROWS : ROWS;
  const rounds = 3;
  const home = makeTempHome('bench-judgments');
  const server = await openDatabase({ home }, silentLog);
  try {
    await migrate({ url: server.adminUrl, appLogin: server.appLogin, log: silentLog, roles: kitRoles });
    const admin = await connectClient({ url: server.adminUrl, applicationName: 'bench', connectTimeoutMs: 10_000 });
    const file = path.join(home, 'judgments.csv');
    const bytes = await writeJudgments(file, rows);
    say(`${rows} rows, ${(bytes / 1024 ** 2).toFixed(1)} MB`);
    const ours: Round[] = [];
    const raw: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      const turns = [
        async () => ours.push(await runOurs(server.appUrl, path.join(home, `blobs-${round}`), file, rows)),
        async () => raw.push(await runRaw(admin, file)),
      ];
      for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn();
      say(`round ${round + 1}: ours ${words(ours[round])}, raw ${words(raw[round])}`);
    }
    await admin.end();
    const peer = (part: keyof Round) => ({ 'raw-sql': median(raw.map((each) => each[part])) });
    return {
      machine: { ...describeMachine(['pg']), rows, rounds, fileBytes: bytes },
      figures: [
        time(
          'judgments-first',
          ours.map(({ first }) => first),
          's',
          peer('first'),
        ),
        time(
          'judgments-again',
          ours.map(({ again }) => again),
          's',
          peer('again'),
        ),
      ],
    };
  } finally {
    await server.stop();
    await removeTempHome(home);
  }
}

function words(round: Round | undefined): string {
  return `${round?.first.toFixed(2)} s first, ${round?.again.toFixed(2)} s again`;
}

/** Clean rows, because raw SQL cannot refuse any: six in ten with an email, three with a phone only, one with a name only. */
async function writeJudgments(file: string, rows: number): Promise<number> {
  const out = createWriteStream(file);
  let bytes = 0;
  let chunk = `${judgmentsHeader}\n`;
  for (let index = 0; index < rows; index++) {
    const person = (index * 7_919) % Math.floor(rows / 5);
    const kind = person % 10;
    const day = `20${String(10 + (index % 15)).padStart(2, '0')}-${String(1 + (index % 12)).padStart(2, '0')}-${String(1 + (index % 28)).padStart(2, '0')}`;
    chunk += [
      `CV-${2010 + (index % 15)}-${String(index).padStart(7, '0')}`,
      `${names[person % names.length]} ${person} LLC`,
      `${names[(index * 3) % names.length]} ${index}`,
      `${index % 90_000}.${String(index % 100).padStart(2, '0')}`,
      day,
      counties[index % counties.length],
      kind < 6 ? `p${person}@example.test` : '',
      kind < 9 ? `212${String(5_000_000 + person)}` : '',
      `${person} Main Street\n`,
    ].join(',');
    if (chunk.length < 256 * 1024 && index < rows - 1) continue;
    bytes += Buffer.byteLength(chunk);
    if (!out.write(chunk)) await once(out, 'drain');
    chunk = '';
  }
  out.end();
  await once(out, 'finish');
  return bytes;
}

async function runOurs(url: string, folder: string, file: string, rows: number): Promise<Round> {
  const store = new DiskBlobStore({ root: folder });
  const engine = await buildEngine(url, [judgmentsPipeline({ store })], {
    settings: { leaseMs: 60_000, heartbeatMs: 10_000, pollMs: 50 },
  });
  const tenantId = uuidv7();
  const load = async (batch: string, outcome: string) => {
    const stored = await storeFile(store, {
      tenantId,
      fileName: 'judgments.csv',
      body: createReadStream(file),
      maxBytes: 1024 ** 3,
      sniff: () => ({ format: 'csv', mediaType: 'text/csv' }),
    });
    await recordBlob(engine.pools.control, stored);
    const startedAt = performance.now();
    const { id } = await engine.enqueue({
      pipeline: 'judgments',
      tenantId,
      blobId: stored.blobId,
      uniqueKey: batch,
      input: { source_batch_id: batch, filename: 'judgments.csv', file_hash: stored.sha256.toString('hex') },
    });
    const run = await waitFor(
      async () => {
        const found = await engine.run(tenantId, id);
        return found.finished_at === null ? undefined : found;
      },
      { timeoutMs: 300_000, everyMs: 10 },
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    if (run.receipt?.outcomes?.[outcome] !== rows)
      throw new Error(`unexpected receipt: ${JSON.stringify(run.receipt)}`);
    return seconds;
  };
  try {
    await engine.start();
    return { first: await load('first', 'inserted'), again: await load('again', 'unchanged') };
  } finally {
    await engine.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const rawTables = `
  drop schema if exists raw cascade;
  create schema raw;
  create table raw.stage (
    batch_id int not null default 1, row_index int generated always as identity, case_number text collate "C" not null,
    plaintiff_name text, defendant_name text, judgment_amount numeric, filing_date date, county text collate "C", email text, phone text,
    address text, primary key (batch_id, row_index),
    unique nulls not distinct (batch_id, case_number, county));
  create table raw.plaintiffs (
    id bigint generated always as identity primary key, dedupe_key text collate "C" not null unique, name text, email text, phone text,
    address text, created_at timestamptz not null default now(), updated_at timestamptz not null default now());
  create table raw.judgments (
    id bigint generated always as identity primary key, case_number text collate "C" not null, county text collate "C",
    plaintiff_name text, defendant_name text, judgment_amount numeric, filing_date date, plaintiff_id bigint, source_file text,
    created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
    unique nulls not distinct (case_number, county));
  create index on raw.judgments (plaintiff_id);`;

const rawKey = `case when email is not null then 'email:' || lower(trim(email))
  when phone is not null then 'phone:' || right(regexp_replace(phone, '\\D', '', 'g'), 10)
  else 'name:' || left(md5(regexp_replace(lower(plaintiff_name), '[^a-z0-9]', '', 'g')), 16) end`;

async function runRaw(admin: pg.Client, file: string): Promise<Round> {
  await admin.query(rawTables);
  return { first: await loadRaw(admin, file, 1), again: await loadRaw(admin, file, 2) };
}

async function loadRaw(admin: pg.Client, file: string, batch: number): Promise<number> {
  const startedAt = performance.now();
  await admin.query('begin');
  await admin.query(`alter table raw.stage alter batch_id set default ${batch}`);
  const copy = admin.query(
    copyFrom(
      `copy raw.stage (case_number, plaintiff_name, defendant_name, judgment_amount, filing_date, county, email, phone, address)
       from stdin with (format csv, header true)`,
    ),
  );
  await pipeline(createReadStream(file), copy);
  await admin.query('analyze raw.stage');
  await admin.query(`
    insert into raw.plaintiffs (dedupe_key, name, email, phone, address)
    select distinct on (1) ${rawKey}, plaintiff_name, email, phone, address from raw.stage where batch_id = ${batch} order by 1
    on conflict (dedupe_key) do update
    set name = coalesce(excluded.name, plaintiffs.name), email = coalesce(excluded.email, plaintiffs.email),
        phone = coalesce(excluded.phone, plaintiffs.phone), address = coalesce(excluded.address, plaintiffs.address), updated_at = now()`);
  await admin.query(`
    insert into raw.judgments (case_number, county, plaintiff_name, defendant_name, judgment_amount, filing_date, plaintiff_id, source_file)
    select s.case_number, s.county, s.plaintiff_name, s.defendant_name, s.judgment_amount, s.filing_date, p.id, 'judgments.csv'
    from (select *, ${rawKey} as dedupe_key from raw.stage where batch_id = ${batch}) s
    join raw.plaintiffs p on p.dedupe_key = s.dedupe_key
    order by s.case_number, s.county
    on conflict (case_number, county) do update
    set plaintiff_name = coalesce(excluded.plaintiff_name, judgments.plaintiff_name),
        defendant_name = coalesce(excluded.defendant_name, judgments.defendant_name),
        judgment_amount = coalesce(excluded.judgment_amount, judgments.judgment_amount),
        filing_date = coalesce(excluded.filing_date, judgments.filing_date),
        plaintiff_id = excluded.plaintiff_id, updated_at = now()`);
  await admin.query('commit');
  return (performance.now() - startedAt) / 1_000;
}
