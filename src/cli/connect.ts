// The API a command speaks to: the server that MILLRACE_URL names, with MILLRACE_TOKEN; or, when none is named, the same API
// opened for the length of the command on the database of this machine.
import { ensureFirstTenant } from '../access/operator.ts';
import { type Client, createClient } from '../contract/api/client.ts';
import type { Role } from '../contract/api/roles.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { note } from './output.ts';
import { chooseTenant, openToolbox, type Toolbox } from './toolbox.ts';

export interface Connection {
  readonly call: Client;
  /** Where a person opens the console, when there is one. */
  readonly consoleUrl: string;
  /** Set when the command works on the database of this machine. */
  readonly tools?: Toolbox;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Name or id; needed only when there are several and no run tells. */
  readonly tenant?: string | undefined;
  /** The run the command is about: its tenant is meant. */
  readonly run?: string | undefined;
  readonly role?: Role;
  /** On a new installation the command makes the first tenant, as the first start does, and says how to sign in. */
  readonly makesFirstTenant?: boolean;
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

export async function connect(options: ConnectOptions): Promise<Connection> {
  const url = process.env.MILLRACE_URL;
  return url ? connectRemote(url) : connectHere(options);
}

function connectRemote(url: string): Connection {
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
  const call = createClient({ baseUrl: url, token, fetch: reach });
  return { call, consoleUrl: url.replace(/\/$/, ''), async close() {} };
}

async function connectHere(options: ConnectOptions): Promise<Connection> {
  const tools = await openToolbox();
  const { process: frame, installation, app, config, runs } = tools;
  const close = () => frame.shutdown.stop('done');
  try {
    if (options.makesFirstTenant && options.tenant === undefined) await welcome(app);
    const tenantId =
      options.run === undefined
        ? (await chooseTenant(app, options.tenant)).tenant_id
        : (await runs.get(options.run)).tenant_id;
    // The web server is loaded only by the commands that need it.
    const { openPrivateApi } = await import('../roles/private-api.ts');
    const { url, token } = await openPrivateApi(frame, installation, app, { tenantId, role: options.role ?? 'admin' });
    // Feeds hear of events that other processes make.
    await installation.engine.start({});
    const consoleUrl = config.publicUrl ?? `http://${config.host}:${config.port}`;
    return { call: createClient({ baseUrl: url, token }), consoleUrl, tools, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function welcome(app: Toolbox['app']): Promise<void> {
  const first = await ensureFirstTenant(app);
  if (first === undefined) return;
  const { tenant, user, oneTimePassword } = first;
  note(`first use: made the tenant ${tenant.name}; "millrace start" opens the console,`);
  note(`sign in as ${user.email} with the password ${oneTimePassword} (made for you, shown only now)`);
}
