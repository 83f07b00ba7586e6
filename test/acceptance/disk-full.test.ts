// Full disks, seen from outside: under the files and under the database. The caller is told 507 and why, what was acknowledged
// stays, nothing half written is left, and everything goes on by itself once there is room.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, makeHome, millrace, type Server, startServer } from './millrace-process.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

const header = 'Campaign name,Campaign ID,Day,Amount spent (USD),Impressions,Link clicks';
const exportOf = (rows: number, campaign = 1) =>
  `${header}\n${Array.from({ length: rows }, (_, row) => `Summer ${campaign},${campaign},2026-06-${String((row % 30) + 1).padStart(2, '0')},1.50,100,10`).join('\n')}\n`;

let database: InstallationDatabase;
let disk: SmallDisk | undefined;
let server: Server | undefined;

beforeEach(async () => {
  database = await createDatabase();
});
afterEach(async () => {
  await server?.end('SIGKILL');
  server = undefined;
  await database.drop();
});
afterAll(cleanUp);

async function upload(url: string, text: string) {
  const form = new FormData();
  form.set('platform', 'meta');
  form.set('source', 'manual');
  form.set('file', new Blob([text]), 'export.csv');
  const answer = await fetch(`${url}/v1/uploads`, { method: 'POST', body: form, signal: AbortSignal.timeout(300_000) });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((file) =>
        file.isFile() ? [file.name] : [],
      )
    : [];

describe('a full disk under the files', () => {
  it('refuses a file that does not fit with disk_full and leaves nothing of it; one that fits is taken', async () => {
    disk = mountSmallDisk(8);
    const home = disk?.folder ?? makeHome();
    // Where nothing may be mounted, the kernel's limit on the size of a file stands in for the end of the disk.
    const env = { ...database.env, MILLRACE_HOME: home, SHUTDOWN_GRACE_SECONDS: '3', POLL_INTERVAL_MS: '100' };
    const fileLimit = disk ? {} : { fileLimitKb: 8 * 1024 };
    try {
      await millrace(['tenants', 'create', 'Acme'], env);
      const folder = makeHome();
      const large = path.join(folder, 'large.csv');
      const small = path.join(folder, 'small.csv');
      writeFileSync(large, exportOf(300_000));
      writeFileSync(small, exportOf(20));
      const before = filesIn(path.join(home, 'blobs'));
      const refused = await millrace(['ingest', large, '--platform', 'meta'], env, 60_000, fileLimit);
      expect(refused, refused.stderr).toMatchObject({ code: 1 });
      expect(refused.stderr).toMatch(/^✖ There is no space left on the disk\.\n {2}Free some space.* \(disk_full\)$/m);
      expect(filesIn(path.join(home, 'blobs'))).toEqual(before);
      expect(await database.query('select from engine.runs')).toEqual([]);
      const taken = await millrace(['ingest', small, '--platform', 'meta'], env, 60_000, fileLimit);
      expect(taken, taken.stderr).toMatchObject({ code: 0 });
    } finally {
      disk?.remove();
    }
  });
});

describe('a full disk under the database', () => {
  it('answers 507 and keeps what it acknowledged; with room again all of it comes to its end', async () => {
    const full = await makeDatabaseDisk();
    try {
      server = await startServer({
        ...database.env,
        MILLRACE_HOME: makeHome(),
        AUTH_ENABLED: 'false',
        SHUTDOWN_GRACE_SECONDS: '3',
        POLL_INTERVAL_MS: '100',
      });
      const { url } = server;
      expect((await upload(url, exportOf(20))).status).toBe(202);
      await full.fill();
      const acknowledged: string[] = [];
      const refused = await waitFor(
        async () => {
          const answer = await upload(url, exportOf(200, acknowledged.length + 2));
          if (answer.status === 202) acknowledged.push(String(answer.body.upload_id));
          return answer.status === 202 ? undefined : answer;
        },
        { everyMs: 1, what: 'the disk to be noticed' },
      );
      expect(refused).toMatchObject({ status: 507, body: { code: 'disk_full', next: expect.any(String) } });
      expect((await fetch(`${url}/health`)).status).toBe(200);
      await full.free();
      const again = await waitFor(async () => {
        const answer = await upload(url, exportOf(20, 9_999));
        return answer.status === 202 ? answer : undefined;
      });
      acknowledged.push(String(again.body.upload_id));
      await waitFor(
        async () => {
          const done = await database.query(`select from engine.runs where id = any ($1) and status = 'completed'`, [
            acknowledged,
          ]);
          return done.length === acknowledged.length;
        },
        { what: 'every acknowledged upload to be completed' },
      );
    } finally {
      await server?.end('SIGKILL');
      server = undefined;
      await database.drop();
      await full.remove();
      database = await createDatabase();
    }
  });

  /** The database on a small disk of its own. Where nothing may be mounted, it refuses rows with the server's own code. */
  async function makeDatabaseDisk() {
    const serverUrl = inject('testServer').url;
    const [place] = await database.query<{ folder: string }>(`select current_setting('data_directory') as folder`);
    const folder = place?.folder ?? '';
    const small = existsSync(folder) ? mountSmallDisk(96, folder) : undefined;
    if (!small) {
      return {
        fill: () =>
          database.query(`
            create function public.disk_is_full() returns trigger language plpgsql as
              $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
            create trigger disk_is_full before insert on engine.runs execute function public.disk_is_full()`),
        free: () => database.query('drop function public.disk_is_full cascade'),
        remove: async () => {},
      };
    }
    const name = `${database.name}_disk`;
    await onServer(serverUrl, `create tablespace ${name} location '${small.folder}'`);
    await onServer(serverUrl, `alter database ${database.name} set tablespace ${name}`);
    return {
      fill: async () => small.fill(),
      free: async () => small.free(),
      async remove() {
        await onServer(serverUrl, `drop tablespace ${name}`);
        small.remove();
      },
    };
  }
});

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}
