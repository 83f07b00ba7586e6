// The long-running commands: start, api, worker, scheduler.
import type { Command } from 'commander';
import { printFailure } from '../cli/failure.ts';
import { formatFacts, paint, say, sayJson } from '../cli/output.ts';
import type { PipelineKit } from '../pipelines/kit.ts';
import { exitCodeFor } from '../platform/config.ts';
import { armFromText } from '../platform/failpoints.ts';
import { createRoleProcess, type LoginHint, type RoleProcess, type Started } from '../roles/role-process.ts';
import { readConfiguration } from './configuration.ts';

interface ServeOptions {
  readonly port?: string;
  readonly host?: string;
  readonly home?: string;
  readonly once?: boolean;
  readonly json?: boolean;
}

type Role = (process: RoleProcess) => Promise<Started>;

// Loaded when it is their turn: other commands should not wait for a web server they do not need.
const roles = {
  all: async (process) => (await import('../roles/all.ts')).startAll(process),
  api: async (process) => (await import('../roles/api.ts')).startApiRole(process),
  worker: async (process) => (await import('../roles/worker.ts')).startWorker(process),
  scheduler: async (process) => (await import('../roles/scheduler.ts')).startScheduler(process),
} satisfies Record<string, Role>;

/** `kits`: those with a process of their own add a command for it. */
export function addServeCommands(program: Command, kits: readonly PipelineKit[]): void {
  const listening = (command: Command) =>
    command
      .option('--port <number>', 'port of the HTTP server (PORT, default 8080; 0 takes a free one)')
      .option('--host <address>', 'address to listen on (HOST, default 127.0.0.1: this machine only)');
  const stored = (command: Command) =>
    command.option('--home <folder>', 'folder of this installation (MILLRACE_HOME, default ./.millrace)');

  stored(listening(program.command('start')))
    .summary('run everything in one process: api, worker, scheduler, console')
    .description(
      'Runs everything in one process. Without DATABASE_URL it starts a Postgres of its own under MILLRACE_HOME and stops it at the end. ' +
        'SIGTERM or Ctrl-C drains: running work continues to its next checkpoint. A second signal stops at once; Millrace ' +
        'loses nothing that it acknowledged.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  millrace start\n  millrace start --port 9000 --home /var/lib/millrace\n  DATABASE_URL=postgres://millrace@db/millrace millrace start',
    )
    .action((_, command: Command) => serve(roles.all, command.optsWithGlobals()));

  stored(listening(program.command('api')))
    .summary('run the HTTP API and the console alone')
    .description(
      'Runs the HTTP API and the console alone; "millrace worker" processes on the same database do the work.',
    )
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://millrace@db/millrace millrace api --host 0.0.0.0')
    .action((_, command: Command) => serve(roles.api, command.optsWithGlobals()));

  stored(program.command('worker'))
    .summary('run a worker alone')
    .description('Runs a worker alone. Start as many as you like, on as many machines, against one database.')
    .option('--once', 'work until no run is due, then exit')
    .addHelpText('after', '\nExamples:\n  millrace worker\n  millrace worker --once   # from cron, or in a test')
    .action((_, command: Command) => {
      const options = command.optsWithGlobals<ServeOptions>();
      return options.once ? serveOnce(options) : serve(roles.worker, options);
    });

  stored(program.command('scheduler'))
    .summary('run the background services alone')
    .description(
      'Runs the background services alone: takeover of lost runs, schedules, event outbox, clean-up. Workers run them too; ' +
        'however many processes run them, each task is done once.',
    )
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://millrace@db/millrace millrace scheduler')
    .action((_, command: Command) => serve(roles.scheduler, command.optsWithGlobals()));

  for (const kit of kits) {
    if (kit.process === undefined) continue;
    const { command: name, summary, description } = kit.process;
    const role: Role = async (process) => (await import('../roles/own-worker.ts')).startOwnWorker(process, kit);
    stored(program.command(name))
      .summary(summary)
      .description(description)
      .addHelpText('after', `\nExample:\n  DATABASE_URL=postgres://millrace@db/millrace millrace ${name}`)
      .action((_, command: Command) => serve(role, command.optsWithGlobals()));
  }
}

async function serve(role: Role, options: ServeOptions): Promise<void> {
  const frame = openFrame(options);
  try {
    const started = await role(frame.process);
    frame.loud();
    if (!frame.process.shutdown.stopping.aborted) announce(started, options.json ?? false);
  } catch (error) {
    await giveUp(frame.process, error, options);
  }
}

async function serveOnce(options: ServeOptions): Promise<void> {
  const frame = openFrame(options);
  try {
    const { workOnce } = await import('../roles/worker.ts');
    await workOnce(frame.process, (started) => {
      frame.loud();
      announce(started, options.json ?? false);
    });
    await frame.process.shutdown.stop('nothing left to do');
  } catch (error) {
    await giveUp(frame.process, error, options);
  }
}

/** Until it is up, a process says only what is wrong: the first thing a person reads is where everything is. */
function openFrame(options: ServeOptions): { process: RoleProcess; loud: () => void } {
  const frame = createRoleProcess(readConfiguration(environment(options)));
  const { log, shutdown } = frame;
  const { MILLRACE_FAILPOINT: failpoint } = process.env;
  if (failpoint !== undefined) armFromText(failpoint);
  shutdown.listen();
  const level = log.level;
  if (level === 'info') log.level = 'warn';
  return {
    process: frame,
    loud: () => {
      log.level = level;
    },
  };
}

async function giveUp({ shutdown }: RoleProcess, error: unknown, { json = false }: ServeOptions): Promise<void> {
  // A signal while starting tears things from under the start; that is no failure of its own.
  if (!shutdown.stopping.aborted) printFailure(error, json);
  await shutdown.stop('could not start', exitCodeFor(error));
}

function environment(options: ServeOptions): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...(options.port === undefined ? {} : { PORT: options.port }),
    ...(options.host === undefined ? {} : { HOST: options.host }),
    ...(options.home === undefined ? {} : { MILLRACE_HOME: options.home }),
  };
}

function announce(started: Started, asJson: boolean): void {
  const { database, schema, url, metricsUrl, login } = started;
  const facts = formatFacts([
    ['database', database],
    ['schema', schema],
    ['open', url === undefined ? undefined : paint('bold', url)],
    ['metrics', metricsUrl],
    ['sign in', login === undefined ? undefined : describeLogin(login)],
  ]);
  if (asJson) sayJson(started);
  else say(facts);
}

function describeLogin(login: LoginHint): string {
  switch (login.kind) {
    case 'first':
      return `${login.email} with the password ${paint('bold', login.oneTimePassword)} (made for you, shown only now)`;
    case 'known':
      return `${login.email} (password lost? millrace users reset-password ${login.email})`;
    case 'off':
      return 'not asked for: AUTH_ENABLED=false, everybody on this machine is an admin';
    case 'nobody':
      return 'nobody yet: millrace users create EMAIL --role admin';
  }
}
