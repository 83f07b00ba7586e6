// A pipeline that does not come with Millrace is a full citizen of the packed product: upload, sample, rejects, verification, error codes,
// a route, a command, a start. The example of docs/adding-a-pipeline.md, in an empty project, as a third party has it.
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeAirbyte } from '../support/fake-airbyte/server.ts';
import { waitFor } from '../support/wait-for.ts';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, makeHome, millrace, root, type Server, startServer, useProgram } from './millrace-process.ts';

const project = makeHome();
const installed = path.join(project, 'node_modules', 'millrace');
const inbox = path.join(project, 'inbox');
let database: InstallationDatabase;
let env: Record<string, string>;
let server: Server;

/**
 * As a third party does it: the package is packed, and `npm install` puts it and its dependencies into an empty project. Without their
 * install scripts, which newer versions of npm do not run either: nothing of the product may need one.
 */
function install(): void {
  const npm = (args: readonly string[], cwd: string) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const packed = npm(['pack', '--ignore-scripts', '--json', '--pack-destination', project], root);
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  writeFileSync(path.join(project, 'package.json'), '{ "name": "ours", "private": true, "type": "module" }');
  npm(['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', `./${filename}`, 'zod'], project);
  cpSync(path.join(installed, 'examples/measurements'), path.join(project, 'measurements'), { recursive: true });
}

/** What the answers of this file have, one or the other. */
interface Body {
  readonly upload_id: string;
  readonly run_id: string;
  readonly status: string;
  readonly finished_at: string | null;
  readonly faults: unknown[];
  readonly data: { readonly id: string }[];
  readonly error: unknown;
}

async function call(method: string, url: string, body?: unknown) {
  const isForm = body instanceof FormData;
  const answer = await fetch(`${server.url}${url}`, {
    method,
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    ...(body === undefined || isForm ? {} : { headers: { 'content-type': 'application/json' } }),
  });
  return { status: answer.status, body: (await answer.json()) as Body };
}

const ended = (runId: string) =>
  waitFor(
    async () => {
      const { body } = await call('GET', `/v1/runs/${runId}`);
      return body.finished_at === null ? undefined : body;
    },
    { what: `the end of run ${runId}`, everyMs: 50 },
  );

beforeAll(async () => {
  install();
  useProgram(path.join(installed, 'dist/main/main.js'));
  database = await createDatabase();
  env = {
    ...database.env,
    MILLRACE_HOME: makeHome(),
    AUTH_ENABLED: 'false',
    POLL_INTERVAL_MS: '100',
    SHUTDOWN_GRACE_SECONDS: '3',
    PIPELINE_MODULES: path.join(project, 'measurements/measurements.mjs'),
    WATCHED_FOLDERS: `${inbox}=measurements`,
    MEASUREMENTS_MOST: '50',
  };
  mkdirSync(inbox);
  server = await startServer(env);
});
afterAll(async () => {
  await cleanUp();
  await database.drop();
});

describe('a pipeline of one’s own', () => {
  it('runs from a package that was installed, not linked, with its docs and examples', () => {
    expect(lstatSync(installed).isSymbolicLink()).toBe(false);
    expect(installed.startsWith(root)).toBe(false);
    expect(readdirSync(path.join(installed, 'docs'))).toEqual(
      expect.arrayContaining(['ARCHITECTURE.md', 'adding-a-pipeline.md', 'errors.md']),
    );
    expect(readdirSync(path.join(installed, 'examples'))).toEqual(expect.arrayContaining(['measurements']));
    expect(existsSync(path.join(installed, 'src'))).toBe(false);
  });

  it('has declarations that a strict TypeScript project can check, down to those of its dependencies', () => {
    const options = { strict: true, module: 'nodenext', target: 'es2023', noEmit: true, skipLibCheck: false };
    writeFileSync(
      path.join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['typed.ts'] }),
    );
    writeFileSync(
      path.join(project, 'typed.ts'),
      `import { defineKit, definePipeline, machine, type Queryable } from 'millrace';
       export const parts = { defineKit, definePipeline, machine };
       export async function count(db: Queryable): Promise<number> {
         const { rows } = await db.query<{ n: number }>('select 1 as n');
         // @ts-expect-error: a row has only what its type names
         rows[0]?.m;
         return rows[0]?.n ?? 0;
       }`,
    );
    const tsc = path.join(root, 'node_modules/.bin/tsc');
    const { status, stdout } = spawnSync(tsc, ['-p', project], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, '']);
  });

  it('has its routes in the description of the API', async () => {
    const { body } = await call('GET', '/openapi.json');
    const { paths } = body as unknown as { paths: Record<string, Record<string, { operationId: string }>> };
    expect(paths['/v1/x/measurements/latest/{sensor}']?.get?.operationId).toBe('x.measurements.latest');
  });

  it('runs its sample to the end, its refused row is fixed and replayed, and its receipt is verified', async () => {
    const { body: started } = await call('POST', '/v1/samples/measurements/run', {});
    const run = await ended(started.upload_id);
    expect(run).toMatchObject({ status: 'stored', receipt: { read: 4, outcomes: { inserted: 3, rejected: 1 } } });
    // Nobody signs in here, so it is nobody's.
    expect(run).toMatchObject({ created_by: null });
    const { body: verified } = await call('POST', `/v1/runs/${run.run_id}/verify`);
    expect(verified).toMatchObject({ matches: true });
    const { body: rejects } = await call('GET', `/v1/runs/${run.run_id}/rejects`);
    const [reject] = rejects.data;
    expect(reject).toMatchObject({ column: 'value', value: 'warm' });
    const correction = `/v1/runs/${run.run_id}/rejects/${reject?.id}/correction`;
    expect((await call('PUT', correction, { cells: { value: 'hot' } })).body.faults).toHaveLength(1);
    const { faults } = (await call('PUT', correction, { cells: { value: '51' } })).body;
    expect(faults).toMatchObject([{ message: 'The value is greater than 50.' }]);
    expect((await call('PUT', correction, { cells: { value: '6.5' } })).body.faults).toEqual([]);
    const { body: replay } = await call('POST', `/v1/runs/${run.run_id}/replay`, {});
    expect(await ended(replay.run_id)).toMatchObject({
      ...{ status: 'stored', receipt: { outcomes: { inserted: 1 } } },
      title: `replay-${run.run_id}.csv`,
    });
    const alerts = async () => (await call('GET', '/v1/alerts')).body.data as unknown as { rule: string }[];
    await waitFor(async () => (await alerts()).some(({ rule }) => rule === 'measurements_refused'), {
      what: 'its alert',
    });
  });

  it('answers at a route of its own, with error codes of its own', async () => {
    const latest = await call('GET', '/v1/x/measurements/latest/south');
    expect(latest).toMatchObject({ status: 200, body: { sensor: 'south', value: 7.25 } });
    const unknown = await call('GET', '/v1/x/measurements/latest/west');
    expect(unknown).toMatchObject({ status: 404, body: { code: 'x.measurements.sensor_unknown' } });
    const { type } = unknown.body as unknown as { type: string };
    const page = await fetch(new URL(type, server.url));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Upload one, or ask for another')]);
  });

  it('takes uploads whose pipeline is named after the file, and fails a file by its own code with its own advice', async () => {
    const form = new FormData();
    form.set('file', new Blob(['sensor,value\nnorth,1\n']), 'short.csv');
    form.set('pipeline', 'measurements');
    const { status, body } = await call('POST', '/v1/uploads', form);
    expect(status).toBe(202);
    const run = await ended(body.upload_id);
    expect(run.error).toMatchObject({
      code: 'x.measurements.header_missing',
      next: 'Send a CSV with the columns sensor, taken_at and value.',
    });
  });

  it('has its files ingested from the command line, and collected from a watched folder, each once', async () => {
    const file = path.join(project, 'west.csv');
    writeFileSync(file, 'sensor,taken_at,value\nwest,2026-01-07T00:00:00Z,3\n');
    const { code, stdout } = await millrace(['ingest', file, '--pipeline', 'measurements', '--watch'], env);
    expect([code, stdout]).toEqual([0, expect.stringContaining('receipt  1 = 1 inserted')]);
    const again = await millrace(['ingest', file, '--pipeline', 'measurements'], env);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('these very bytes were uploaded before')]);
    for (const [name, content] of [
      ['good.csv', 'sensor,taken_at,value\nwest,2026-01-08T00:00:00Z,4\n'],
      ['page.csv', '<html><body>not found</body></html>'],
    ] as const) {
      writeFileSync(path.join(project, name), content);
      renameSync(path.join(project, name), path.join(inbox, name));
    }
    const names = (folder: string) => {
      try {
        return readdirSync(path.join(inbox, folder));
      } catch {
        return [];
      }
    };
    await waitFor(() => names('accepted').includes('good.csv') && names('refused').includes('page.csv'), {
      what: 'both files to be collected',
    });
    const reason = path.join(inbox, 'refused', 'page.csv.reason.txt');
    const said = await waitFor(() => readFileSync(reason, 'utf8') || undefined, { what: 'the reason to be written' });
    expect(said).toContain('content_mismatch');
    const latest = async () =>
      (await call('GET', '/v1/x/measurements/latest/west')).body as unknown as { value: number };
    await waitFor(async () => (await latest()).value === 4, { what: 'the row of the folder' });
  });

  it('is started over HTTP and from the command line, which those that take files only are not', async () => {
    const input = { rows: [{ sensor: 'east', taken_at: '2026-01-06T00:00:00Z', value: '1' }] };
    const { status, body } = await call('POST', '/v1/runs', { pipeline: 'measurements', input });
    expect([status, (await ended(body.run_id)).status]).toEqual([202, 'stored']);
    const { body: listed } = await call('GET', '/v1/pipelines');
    const pipelines = listed.data as unknown as { name: string; may_start: boolean }[];
    expect(pipelines.filter((each) => each.may_start).map((each) => each.name)).toEqual(['measurements']);
    const refused = await call('POST', '/v1/runs', { pipeline: 'ads', input: {} });
    expect(refused).toMatchObject({ status: 422, body: { code: 'pipeline_not_startable' } });
    const file = path.join(project, 'input.json');
    writeFileSync(file, JSON.stringify(input));
    const command = await millrace(['runs', 'start', 'measurements', '--input', file, '--json'], env);
    expect([command.code, command.stderr]).toEqual([0, '']);
  });

  it('has settings of its own: a value that does not fit ends the start and is named', async () => {
    const { code, stderr } = await millrace(['measurements', 'south'], { ...env, MEASUREMENTS_MOST: 'all' });
    expect([code, stderr]).toEqual([
      78,
      expect.stringContaining('MEASUREMENTS_MOST must be a whole number from 1 to 1000000'),
    ]);
  });

  it('has commands of its own, which call its routes on the server or on this machine', async () => {
    const here = await millrace(['measurements', 'south'], env);
    expect([here.code, here.stdout]).toEqual([0, 'south measured 7.25 at 2026-01-05T07:00:00.000Z\n']);
    const onServer = { ...env, MILLRACE_URL: server.url, MILLRACE_TOKEN: 'not checked: AUTH_ENABLED is false' };
    expect((await millrace(['measurements', 'south'], onServer)).stdout).toBe(here.stdout);
    const unknown = await millrace(['measurements', 'west coast'], env);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('Upload one, or ask for another')]);
  });
});

it('programs trigger, work on and requeue syncs through the package, on a database of their own', async () => {
  const airbyte = await startFakeAirbyte({ runMs: 1, rows: 5 });
  const { connectionId } = airbyte.addConnection();
  const script = path.join(project, 'syncs.mjs');
  writeFileSync(
    script,
    `import { createMillrace, dispatch, kits, requeueFromDlq, runWorkerCycle } from 'millrace';
     const [act, tenantId, id] = process.argv.slice(2);
     const millrace = await createMillrace({ databaseUrl: process.env.DATABASE_URL, migrationUrl: process.env.DATABASE_MIGRATION_URL, home: process.env.MILLRACE_HOME, kits });
     const requeue = (jobId) => requeueFromDlq(millrace, tenantId, { jobId, correlationId: 'T-1', by: 'support' });
     const refusal = (jobId) => requeue(jobId).then(() => 'done', (error) => error.code);
     const job = act === 'dispatch' ? (await dispatch(millrace, tenantId, { connectorId: id })).job : await requeue(id);
     const cycle = await runWorkerCycle(millrace.engine);
     const { status, receipt, retry_of } = await millrace.runs.get(job.job_id);
     const refused = act === 'dispatch' ? [] : [await refusal(id), await refusal(job.job_id)];
     console.log(JSON.stringify({ id: job.job_id, cycle, status, read: receipt?.read, retry_of, refused }));
     await millrace.stop();`,
  );
  const own = await createDatabase();
  try {
    const ownEnv = {
      ...own.env,
      MILLRACE_HOME: makeHome(),
      AIRBYTE_BASE_URL: airbyte.url,
      AIRBYTE_API_TOKEN: airbyte.token,
      AIRBYTE_WORKSPACE_ID: airbyte.workspaceId,
    };
    const tenant = await millrace(['tenants', 'create', 'Ours', '--json'], ownEnv);
    expect([tenant.code, tenant.stderr]).toEqual([0, '']);
    const wish = ['connectors', 'add', connectionId, '--name', 'Orders', '--account', 'shop', '--json'];
    const added = await millrace(wish, ownEnv);
    expect([added.code, added.stderr]).toEqual([0, '']);
    const ids = await own.query<{ tenant_id: string; connector_id: string }>(
      'select tenant_id, connector_id from public.connectors',
    );
    const env = { ...process.env, ...ownEnv, MILLRACE_HOME: makeHome() };
    // Not waited for in this thread: the Airbyte that it asks answers from here.
    const program = async (act: 'dispatch' | 'requeue', id = '') => {
      const args = [script, act, ids[0]?.tenant_id ?? '', id];
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: project, env });
      return JSON.parse(stdout) as { readonly id: string };
    };
    const cycle = { queued_processed: 1, retry_processed: 0 };
    const calm = airbyte.knobs;
    airbyte.knobs = { ...calm, unauthorized: 1 };
    const dead = await program('dispatch', ids[0]?.connector_id);
    expect(dead).toMatchObject({ cycle, status: 'dead_letter' });
    airbyte.knobs = calm;
    expect(await program('requeue', dead.id)).toMatchObject({
      cycle,
      status: 'success',
      read: 5,
      retry_of: dead.id,
      refused: ['run_already_retried', 'not_a_dead_letter'],
    });
  } finally {
    await airbyte.close();
    await own.drop();
  }
});
