// Commands that list, against the API of everything an installation serves: a list that is not the whole one says so and how to
// continue, to people and to programs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildTenant, buildUser, useApi } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline } from '../../test/support/engine.ts';
import { type CommandTools, provideTools } from '../cli/connection.ts';
import { createClient, createRequest } from '../contract/api/client.ts';
import type { Engine } from '../engine/engine.ts';
import { alertHandlers } from '../http/routes/alerts/alert-handlers.ts';
import { webhookHandlers } from '../http/routes/webhooks/webhook-handlers.ts';
import { defaultAlertSettings } from '../outbound/alerts/alert-settings.ts';
import { createWebhookService } from '../outbound/webhooks/webhook-service.ts';
import { defaultWebhookSettings } from '../outbound/webhooks/webhook-settings.ts';
import { kits } from '../pipelines/all.ts';
import { DiskBlobStore } from '../platform/blob/disk-blob-store.ts';
import { loadConfig } from '../platform/config.ts';
import { silentLog } from '../platform/log.ts';
import { createSecretBox } from '../platform/secret-box.ts';
import { type KitAtWork, openKits } from '../roles/kits.ts';
import { buildProgram } from './program.ts';

const db = useDatabase();
const home = mkdtempSync(path.join(tmpdir(), 'millrace-lists-'));
const store = new DiskBlobStore({ root: home });
const box = createSecretBox(Buffer.alloc(32, 7));
let engine: Engine & { close(): Promise<void> };
let atWork: readonly KitAtWork[];
let tools: CommandTools;
/** Newest first. */
const runIds: string[] = [];

beforeAll(async () => {
  const groups = kits.flatMap(({ settings }) => (settings ? [settings] : []));
  const config = loadConfig({ MILLRACE_HOME: home }, groups);
  const opening = await openKits(kits, { config, blobs: store, secrets: box, log: silentLog });
  const idle = buildPipeline('idle', async () => ({ on: 'complete', receipt: { read: 0 } }));
  engine = await buildEngine(db.appUrl, [...opening.pipelines, idle]);
  atWork = opening.withEngine(engine);
});
const api = useApi(db, () => ({
  engine,
  pipelines: Object.fromEntries(atWork.map(({ kit, parts }) => [kit.name, parts])),
  handlers: {
    ...webhookHandlers(createWebhookService({ pool: db.engine, box, settings: defaultWebhookSettings })),
    ...alertHandlers({ box, settings: defaultAlertSettings }),
    ...Object.assign({}, ...atWork.map(({ handlers }) => handlers())),
  },
}));
beforeAll(async () => {
  const tenantId = await buildTenant(db);
  const { token } = await buildUser(db, tenantId, 'admin');
  const baseUrl = await api.server.listen({ host: '127.0.0.1', port: 0 });
  const connection = {
    call: createClient({ baseUrl, token }),
    request: createRequest({ baseUrl, token }),
    consoleUrl: baseUrl,
  };
  const withToolbox = () => Promise.reject(new Error('these commands need none'));
  tools = { withConnection: (_, work) => work(connection), withToolbox };
  for (let made = 0; made < 5; made++)
    runIds.unshift((await engine.enqueue({ pipeline: 'idle', tenantId, input: {} })).id);
});
afterAll(async () => {
  await engine.close();
  await store.close();
  rmSync(home, { recursive: true, force: true });
  // The tools of the program itself again.
  buildProgram();
});

/** What a command writes: its answer, and what it says beside it. */
async function run(...args: string[]): Promise<{ out: string; err: string }> {
  const program = buildProgram();
  provideTools(tools);
  let [out, err] = ['', ''];
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      out += text;
      return true;
    }),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      err += text;
      return true;
    }),
  ];
  try {
    await program.parseAsync(args, { from: 'user' });
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return { out, err };
}

const nameOf = (command: Command): string[] => (command.parent ? [...nameOf(command.parent), command.name()] : []);
const withAllBelow = (command: Command): Command[] => [command, ...command.commands.flatMap(withAllBelow)];
const listing = withAllBelow(buildProgram())
  .filter((command) => command.commands.length === 0 && command.description().startsWith('Lists '))
  .map((command) => [nameOf(command).join(' '), command] as const);

/** The server gives these as a whole. */
const isWhole = new Set(['tenants list', 'users list', 'models list', 'connectors available']);
const inPages = listing.filter(([name]) => !isWhole.has(name));

describe('a list of runs', () => {
  const continuation = /^… and more: --after (\S+)$/m;

  it('says in its last line that there are more, and the rest is reached with what that line says', async () => {
    const seen: string[] = [];
    const answers: string[] = [];
    let after: string | undefined;
    for (let page = 0; page < 5; page++) {
      const { out } = await run('runs', 'list', '--limit', '2', ...(after === undefined ? [] : ['--after', after]));
      answers.push(out);
      seen.push(...runIds.filter((id) => out.includes(id)));
      after = continuation.exec(out)?.[1];
      if (after === undefined) break;
    }
    expect(seen).toEqual(runIds);
    expect(answers).toHaveLength(3);
  });

  it('is for programs an array of rows; what comes next is said on standard error', async () => {
    const first = await run('runs', 'list', '--limit', '3', '--json');
    const { next } = JSON.parse(first.err);
    const rest = await run('runs', 'list', '--after', next, '--json');
    expect([first, rest].flatMap(({ out }) => JSON.parse(out).map((each: { run_id: string }) => each.run_id))).toEqual(
      runIds,
    );
    expect(rest.err).toBe('');
  });
});

describe('every command that lists', () => {
  it('is one of at least fifteen', () => {
    expect(listing.length).toBeGreaterThanOrEqual(15);
  });

  it.each(inPages)('%s has a limit and can be continued', (_, command) => {
    expect(command.options.map(({ long }) => long)).toEqual(expect.arrayContaining(['--limit', '--after']));
  });

  // The server knows that no list of its gave out this place, so the option has arrived.
  it.each(inPages.filter(([, command]) => command.registeredArguments.length === 0))(
    '%s continues at the place that is given',
    async (name) => {
      await expect(run(...name.split(' '), '--after', 'nowhere')).rejects.toMatchObject({
        problem: { code: 'cursor_malformed' },
      });
    },
  );
});
