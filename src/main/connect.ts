// The API that a command calls: the server that MILLRACE_URL names, with MILLRACE_TOKEN. Without MILLRACE_URL the command opens the same API
// on the database of this machine and closes it when it ends.
import { ensureFirstTenant, makeTrialTenant, removeTrialTenant } from '../access/operator.ts';
import { chooseTenant } from '../cli/choose-tenant.ts';
import type { Connection, ConnectOptions } from '../cli/connection.ts';
import { note } from '../cli/output.ts';
import { createClient, createRequest } from '../contract/api/client.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { findServerAddress } from '../roles/server-address.ts';
import { type OpenToolbox, openToolbox } from './toolbox.ts';

interface OpenConnection extends Connection {
  close(): Promise<void>;
}

export async function withConnection<T>(
  options: ConnectOptions,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connect(options);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

async function connect(options: ConnectOptions): Promise<OpenConnection> {
  const url = process.env.MILLRACE_URL;
  return url ? connectRemote(url) : connectHere(options);
}

function connectRemote(url: string): OpenConnection {
  const token = process.env.MILLRACE_TOKEN;
  if (!token) throw new MillraceError('token_missing');
  const reach: typeof fetch = async (input, init) => {
    try {
      return await fetch(input, init);
    } catch (error) {
      const { cause } = error as { cause?: { code?: string; message?: string } };
      const reason = cause?.code ?? cause?.message ?? (error as Error).message;
      throw new MillraceError('server_unreachable', { url, reason }, { cause: error });
    }
  };
  const options = { baseUrl: url, token, fetch: reach };
  return {
    call: createClient(options),
    request: createRequest(options),
    consoleUrl: url.replace(/\/$/, ''),
    async close() {},
  };
}

async function connectHere(options: ConnectOptions): Promise<OpenConnection> {
  const tools = await openToolbox();
  const { process: frame, installation, app, config, runs } = tools;
  let trial: string | undefined;
  const close = async () => {
    if (trial !== undefined) await removeTrialTenant(app, trial);
    await frame.shutdown.stop('done');
  };
  try {
    if (options.makesFirstTenant && options.tenant === undefined) await welcome(app);
    if (options.makesTrialTenant && options.tenant === undefined) trial = await makeTrialTenant(app);
    const tenantId =
      options.run === undefined
        ? (trial ?? (await chooseTenant(app, options.tenant)).tenant_id)
        : (await runs.get(options.run)).tenant_id;
    // The web server is loaded only by the commands that need it.
    const { openPrivateApi } = await import('../roles/private-api.ts');
    const { url, token } = await openPrivateApi(frame, installation, app, { tenantId, role: options.role ?? 'admin' });
    // Feeds hear of events that other processes make.
    await installation.engine.start({});
    const consoleUrl = config.publicUrl ?? findServerAddress(config.home) ?? `http://${config.host}:${config.port}`;
    const server = { baseUrl: url, token };
    return { call: createClient(server), request: createRequest(server), consoleUrl, tools, tenantId, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function welcome(app: OpenToolbox['app']): Promise<void> {
  const first = await ensureFirstTenant(app);
  if (first === undefined) return;
  const { tenant, user, oneTimePassword } = first;
  note(`first use: made the tenant ${tenant.name}; "millrace start" opens the console,`);
  note(`sign in as ${user.email} with the password ${oneTimePassword} (made for you, shown only now)`);
}
