// With all workers stopped people sign in, browse, ask and look at what was asked before; only uploads wait, and say for what. Programs and
// assistants included.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, makeHome, millrace, root, type Server, startServer, startStatusProcess } from './millrace-process.ts';

const folder = makeHome();
let database: InstallationDatabase;
let env: Record<string, string>;
let server: Server;
let token: string | undefined;

const policy =
  '# Retention\n\nSigned contracts are kept for ten years after they end. Visitor badges are destroyed after thirty days.\n';

async function ask<T>(address: string, body?: object | FormData): Promise<T> {
  const isForm = body instanceof FormData;
  const answer = await fetch(server.url + address, {
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body && !isForm ? { 'content-type': 'application/json' } : {}),
    },
    ...(body === undefined ? {} : { method: 'POST', body: isForm ? body : JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

beforeAll(async () => {
  database = await createDatabase();
  env = {
    ...database.env,
    MILLRACE_HOME: makeHome(),
    SHUTDOWN_GRACE_SECONDS: '3',
    POLL_INTERVAL_MS: '100',
    SEARCH_EMBEDDING_TIMEOUT_MS: '120000',
  };
  const file = path.join(folder, 'policy.md');
  writeFileSync(file, policy);
  const made = await millrace(['documents', 'upload', file, '--watch'], env);
  expect(made, made.stderr).toMatchObject({ code: 0 });
  const [, email, password] = /sign in as (\S+) with the password (\S+)/.exec(made.stderr) ?? [];
  server = await startServer(env, 'api');
  const first = await ask<{ token: string }>('/v1/auth/login', { email, password });
  token = first.token;
  const own = { current: password, new: 'a long enough password' };
  token = (await ask<{ token: string }>('/v1/auth/password', own)).token;
});
afterAll(async () => {
  await cleanUp();
  await database.drop();
});

describe('with all workers stopped', () => {
  it('signing in, browsing, asking and history work; an upload is taken, says that it waits for a worker, and is done when one comes', async () => {
    expect(token).toEqual(expect.any(String));
    const { data: documents } = await ask<{ data: { doc_id: string; title: string }[] }>('/v1/documents');
    expect(documents).toMatchObject([{ title: 'policy.md' }]);
    const page = await ask<{ text: string }>(`/v1/documents/${documents[0]?.doc_id}/versions/1/pages/1`);
    expect(page.text).toContain('ten years');
    const asked = await ask<{ status: string; answer: string; citations: { quote: string }[] }>('/v1/query', {
      question: 'How long are signed contracts kept?',
    });
    expect(asked).toMatchObject({ status: 'answered' });
    expect(asked.citations[0]?.quote).toContain('ten years');
    const { data: history } = await ask<{ data: { question: string }[] }>('/v1/queries');
    expect(history).toMatchObject([{ question: 'How long are signed contracts kept?' }]);
    expect((await ask<{ data: unknown[] }>('/v1/runs')).data).toHaveLength(1);

    const form = new FormData();
    form.set('file', new Blob(['# Late\n\nThe canteen opens at noon on weekdays.\n']), 'late.md');
    const { run_id: run } = await ask<{ run_id: string }>('/v1/ingest', form);
    const waiting = await ask<{ phase: string; wait: { code: string } }>(`/v1/runs/${run}`);
    expect(waiting).toMatchObject({ phase: 'waiting', wait: { code: 'no_worker' } });
    const worker = await startStatusProcess('worker', env);
    await waitFor(async () => (await ask<{ phase: string }>(`/v1/runs/${run}`)).phase === 'done', {
      what: 'the upload to be done',
    });
    await worker.end();
  });

  it('an assistant asks over standard input with an API key, and gets no more than the key allows', async () => {
    const { key } = await ask<{ key: string }>('/v1/api-keys', { name: 'assistant', scopes: ['data:read'] });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [path.join(root, 'dist/main/main.js'), 'mcp'],
      env: { PATH: process.env.PATH ?? '', HOME: folder, MILLRACE_URL: server.url, MILLRACE_TOKEN: key },
      stderr: 'pipe',
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(['ask', 'fetch_page', 'list_runs', 'search', 'why']);
    const answer = await client.callTool({
      name: 'ask',
      arguments: { question: 'How long are signed contracts kept?' },
    });
    expect(answer.structuredContent).toMatchObject({ status: 'answered' });
    const runs = await client.callTool({ name: 'list_runs', arguments: {} });
    expect(runs).toMatchObject({ isError: true });
    await client.close();
  });
});
