// Who can get at the credentials of sources: the sync and the API that seals them, and nobody else; not the process that reads documents.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { compiledProgram } from '../../../test/support/programs.ts';
import { guardedLookup, requireCallable } from '../../outbound/guarded-lookup.ts';
import { kitRoles } from '../all.ts';
import { ExtractionProcess } from '../documents/extract/extraction-process.ts';

const db = useDatabase();
/** The API writes the sealed credential, the sync opens it with a key that is not in the database. */
const mayRead = ['millrace_app', 'sources_worker'];

describe('the credential of a source', () => {
  it('is out of reach of every database role but the two that need it, sealed as it is', async () => {
    const { rows } = await db.admin.query<{ role: string; may: boolean; member: boolean }>(
      `select r.rolname as role,
              has_column_privilege(r.oid, 'public.ingestion_sources', 'credential', 'select') as may,
              exists (select from pg_roles x where x.rolname = any ($2) and pg_has_role(r.oid, x.oid, 'member') and x.oid <> r.oid) as member
       from pg_roles r where r.rolname = any ($1)`,
      [[...new Set([...kitRoles, 'millrace_app', 'millrace_engine'])], mayRead],
    );
    const readers = rows.filter(({ may }) => may).map(({ role }) => role);
    expect(readers.sort()).toEqual(mayRead);
    // The worker of documents, which the specification calls ingest-worker, and all others of its sort were looked at.
    const closed = rows.filter(({ may, member }) => !may && !member).map(({ role }) => role);
    expect(closed).toEqual(expect.arrayContaining(['documents_worker', 'ads_parse', 'sources_services']));
  });

  it('cannot be opened by the process that reads documents: its environment is empty', async () => {
    process.env.CONNECTOR_SECRET_KEY = 'canary-of-the-secret-key';
    const reader = new ExtractionProcess({
      maxMemoryMb: 256,
      timeoutMs: 30_000,
      program: compiledProgram('src/pipelines/documents/extract/extraction-child.ts'),
    });
    try {
      const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
      const pid = /^\s*(\d+) .*extraction-child/m.exec(children)?.[1];
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
      expect(environment).not.toContain('canary-of-the-secret-key');
      expect(environment).not.toMatch(/SECRET|PASSWORD|DATABASE_URL|AWS_/);
    } finally {
      delete process.env.CONNECTOR_SECRET_KEY;
      reader.stop();
    }
  });
});

describe('a name that resolves to an address behind us', () => {
  const resolve = (host: string) =>
    new Promise<unknown>((done) => guardedLookup(false)(host, { all: false }, (error) => done(error)));

  it('is judged at the very lookup the connection uses, however it is spelled', async () => {
    for (const host of ['localhost', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '::1'])
      expect(await resolve(host), host).toMatchObject({ code: 'outbound_address_refused' });
    for (const host of ['127.0.0.1', '169.254.169.254', '[::1]', '::ffff:127.0.0.1', '10.0.0.1', 'fd00::1'])
      expect(() => requireCallable(host, false), host).toThrow(
        expect.objectContaining({ code: 'outbound_address_refused' }),
      );
    // Metadata addresses stay shut also where private ones are allowed.
    expect(() => requireCallable('169.254.169.254', true)).toThrow(/169\.254/);
  });
});
