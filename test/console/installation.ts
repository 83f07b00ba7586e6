// An installation for the console's walks: a database of its own on the server of the test run, the built program as processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createDatabase, type InstallationDatabase } from '../acceptance/installation-database.ts';
import {
  type Environment,
  makeHome,
  millrace,
  root,
  type Server,
  startServer,
} from '../acceptance/millrace-process.ts';
import { waitFor } from '../support/wait-for.ts';

export interface Installation {
  readonly url: string;
  readonly env: Environment;
  readonly server: Server;
  readonly admin: { readonly email: string; readonly password: string };
  readonly database: InstallationDatabase;
}

const fixtures = path.join(root, 'test/fixtures');

/** Starts `millrace start`, or the API alone when the test runs the workers itself. */
export async function install(extra: Environment = {}, command: 'start' | 'api' = 'start'): Promise<Installation> {
  const database = await createDatabase();
  const env = {
    ...database.env,
    MILLRACE_HOME: makeHome(),
    PIPELINE_MODULES: path.join(fixtures, 'steps.pipeline.mjs'),
    SHUTDOWN_GRACE_SECONDS: '5',
    ...extra,
  };
  const server = await startServer(env, command);
  const [, email = '', password = ''] = /^sign in +(\S+) with the password (\S+)/m.exec(server.lines.join('\n')) ?? [];
  return { url: server.url, env, server, admin: { email, password }, database };
}

/** Makes a tenant with one person and gives the one-time password. */
export async function addPerson(
  { env }: Installation,
  { tenant, email, role = 'admin' }: { tenant?: string; email: string; role?: string },
): Promise<string> {
  const choice = tenant === undefined ? [] : ['--tenant', tenant];
  const made = await millrace(['users', 'create', email, '--role', role, ...choice, '--json'], env);
  const password = /"(?:one_time_password|password)":\s*"([^"]+)"/.exec(made.stdout)?.[1];
  if (password === undefined) throw new Error(`no password in: ${made.stdout} ${made.stderr}`);
  return password;
}

export async function addTenant({ env }: Installation, name: string): Promise<string> {
  const made = await millrace(['tenants', 'create', name, '--json'], env);
  return (JSON.parse(made.stdout) as { tenant_id: string }).tenant_id;
}

/** Submits runs of the steps pipeline as a program would; gives their ids. */
export async function submitSteps({ env }: Installation, tenantId: string, ...inputs: object[]): Promise<string[]> {
  const child = spawn(
    process.execPath,
    [path.join(fixtures, 'enqueue-steps.mjs'), tenantId, ...inputs.map((input) => JSON.stringify(input))],
    { env: { PATH: process.env.PATH ?? '', ...env }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(child, 'close');
  return JSON.parse(text.trim().split('\n').at(-1) ?? '[]') as string[];
}

/** A worker process of its own, to be killed. */
export function startWorkerProcess({ env }: Installation): { kill(): Promise<void> } {
  const child = spawn(process.execPath, [path.join(root, 'dist/main/main.js'), 'worker'], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: 'ignore',
  });
  const gone = once(child, 'exit');
  return {
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** The tenant that the first start has made. */
export async function tenantOf({ env }: Installation): Promise<string> {
  const listed = await millrace(['tenants', 'list', '--json'], env);
  return (JSON.parse(listed.stdout) as { tenant_id: string }[])[0]?.tenant_id ?? '';
}

async function signedIn({ url, admin }: Installation): Promise<{ authorization: string }> {
  const login = await fetch(`${url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  });
  const { token } = (await login.json()) as { token: string };
  return { authorization: `Bearer ${token}` };
}

export type Ask = <T = unknown>(address: string, body?: object) => Promise<T>;

/** Calls the API as the admin: with a body POST, without GET. */
export async function askAsAdmin(installation: Installation): Promise<Ask> {
  const headers = { ...(await signedIn(installation)), 'content-type': 'application/json' };
  return async <T>(address: string, body?: object) => {
    const how = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(installation.url + address, how);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${address}: ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
}

/** Uploads a Meta export as a program would and waits for its end; gives the run. */
export async function uploadMeta(
  installation: Installation,
  name: string,
  text: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { url } = installation;
  const headers = await signedIn(installation);
  const form = new FormData();
  form.set('platform', 'meta');
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set('file', new Blob([text]), name);
  const upload = await fetch(`${url}/v1/uploads`, { method: 'POST', headers, body: form });
  const { upload_id: runId } = (await upload.json()) as { upload_id: string };
  await waitFor(
    async () => {
      const run = (await (await fetch(`${url}/v1/runs/${runId}`, { headers })).json()) as { phase: string };
      return run.phase === 'done' || run.phase === 'failed';
    },
    { everyMs: 200, what: `the end of run ${runId}` },
  );
  return runId;
}
