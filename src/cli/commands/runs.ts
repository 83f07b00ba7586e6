// Runs: what there is, why it waits, what happened to it, and what can be done with it.

import { type Command, InvalidArgumentError } from 'commander';
import type { AnswerOf } from '../../contract/api/client.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Phase } from '../../contract/states/machine.ts';
import { type Connection, withConnection } from '../connection.ts';
import { describeFailure, exitCodes, type Failure, printFailure } from '../failure.ts';
import { note, plural, say, sayJson } from '../output.ts';
import { inPages, type PageOptions, pageQuery, sayPage } from '../pages.ts';
import { readJson } from '../read-json.ts';
import { describeReceipt, describeStatus, formatRun, formatRuns } from '../runs/print-run.ts';
import { exitCodeOfRun, tailRun } from '../runs/tail-run.ts';
import { tenantOption } from '../tenant-option.ts';
import { workIfNobodyDoes } from '../work-here.ts';
import { addRereadCommand } from './reread.ts';

interface StartOptions {
  readonly input: string;
  readonly tenant?: string;
  readonly json?: boolean;
}

interface RunOptions extends PageOptions {
  readonly tenant?: string;
  readonly pipeline?: string;
  readonly status?: string;
  readonly phase?: string;
  readonly yes?: boolean;
  readonly forcePartial?: boolean;
  readonly json?: boolean;
}

const phases = ['waiting', 'active', 'done', 'failed', 'dead'] as const satisfies readonly Phase[];

type Act = 'hold' | 'resume' | 'cancel' | 'retry';

const acts: Readonly<
  Record<Act, { readonly summary: string; readonly description: string; readonly example: string }>
> = {
  hold: {
    summary: 'keep waiting runs from starting',
    description: 'Holds waiting runs: Millrace does not start them until you resume them.',
    example: '--pipeline ads',
  },
  resume: {
    summary: 'resume held runs',
    description: 'Resumes held runs. A run that waits for its next try is tried now.',
    example: '--phase waiting',
  },
  cancel: {
    summary: 'cancel waiting and running runs',
    description: 'Cancels runs. Millrace stops a running stage, which can write nothing more.',
    example: '--pipeline ads --phase waiting',
  },
  retry: {
    summary: 'retry ended runs',
    description:
      'Retries ended runs: a new run with the same input, linked to the old one. Doing it twice makes one run.',
    example: '--status failed',
  },
};

export function addRunCommands(program: Command): void {
  const runs = program
    .command('runs')
    .summary('list, show, follow, hold, cancel and retry runs')
    .description(
      'A run is one accepted request to ingest. It waits, is worked on, and ends exactly once, with a receipt.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  millrace runs list --phase failed\n  millrace runs why 01a1e155-…          why does it wait?\n' +
        '  millrace runs tail 01a1e155-…         follow it to its end\n  millrace runs retry --status failed   all of them; says how many and asks for --yes',
    );

  addStartCommand(runs);

  inPages(filters(runs.command('list')), 30)
    .summary('list runs, newest first')
    .description('Lists runs, newest first.')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace runs list --pipeline ads --phase waiting,active\n  millrace runs list --status failed --json',
    )
    .action(async (_: RunOptions, command: Command) => {
      const options = command.optsWithGlobals<RunOptions>();
      const page = await withConnection(options, ({ call }) =>
        call('runs.list', { query: { ...filterOf(options), ...pageQuery(options) } }),
      );
      sayPage(page, { json: options.json, none: 'No runs match.', format: formatRuns });
    });

  runs
    .command('show')
    .summary('everything about one run')
    .description('Shows a run: state, receipt, attempts, what happens next.')
    .argument('<run>', 'id of the run')
    .action((run: string, _: RunOptions, command: Command) => show(run, command));

  addWhyCommand(runs);
  addTailCommand(runs);
  addRereadCommand(runs);
  for (const act of Object.keys(acts)) addActCommand(runs, act as Act);
}

function addStartCommand(runs: Command): void {
  runs
    .command('start')
    .summary('start a run of a pipeline')
    .description(
      'Starts a run of a pipeline that allows it, with an input that the pipeline defines. If no worker runs on this machine, this command does the work.',
    )
    .argument('<pipeline>', 'its name')
    .option('--input <file>', 'the input as JSON; "-" reads standard input', '-')
    .addOption(tenantOption())
    .addHelpText(
      'after',
      '\nExamples:\n  millrace runs start greetings --input names.json\n  echo \'{"names":["Ada"]}\' | millrace runs start greetings',
    )
    .action(async (pipeline: string, _: StartOptions, command: Command) => {
      const { input: file, tenant, json } = command.optsWithGlobals<StartOptions>();
      const input = (await readJson(file)) as Record<string, unknown>;
      await withConnection({ tenant, makesFirstTenant: true }, async (connection) => {
        const mustWork = await workIfNobodyDoes(connection, pipeline);
        const { run_id: runId } = await connection.call('runs.start', { body: { pipeline, input } });
        if (!mustWork) {
          if (json) sayJson({ run_id: runId });
          else say(`→ ${connection.consoleUrl}/r/${runId}   follow it: millrace tail ${runId}`);
          return;
        }
        process.exitCode = exitCodeOfRun(await tailRun(connection.call, runId, json ?? false));
      });
    });
}

export function addWhyCommand(parent: Command): void {
  parent
    .command('why')
    .summary('why a run waits, or why it failed')
    .description('Says why a run waits, or why it ended as it did, and what happens next.')
    .addHelpText('after', '\nExample:\n  millrace why 01a1e155-…')
    .argument('<run>', 'id of the run')
    .action(async (run: string, _: RunOptions, command: Command) => {
      const detail = await withConnection({ run }, ({ call }) => call('runs.show', { params: { run_id: run } }));
      const { wait, error, next } = detail;
      if (command.optsWithGlobals<RunOptions>().json)
        sayJson({ run_id: run, status: detail.status, wait, error, next });
      else {
        say(
          `${describeStatus(detail)}: ${wait?.text ?? error?.message ?? (detail.receipt ? describeReceipt(detail.receipt) : 'it is being worked on')}`,
        );
        if (next !== null) say(next);
      }
    });
}

export function addTailCommand(parent: Command): void {
  parent
    .command('tail')
    .summary('follow a run to its end')
    .description(
      'Follows a run to its end. If no worker runs on this machine, this command does the work. Exit code: 0 done, 2 done in part, 1 failed.',
    )
    .addHelpText('after', '\nExamples:\n  millrace tail 01a1e155-…\n  millrace tail 01a1e155-… --json | jq .type')
    .argument('<run>', 'id of the run')
    .action(async (run: string, _: RunOptions, command: Command) => {
      const { json = false } = command.optsWithGlobals<RunOptions>();
      const detail = await withConnection({ run }, async (connection) => {
        const { call } = connection;
        const { pipeline, finished_at: finishedAt } = await call('runs.show', { params: { run_id: run } });
        if (finishedAt === null) await workIfNobodyDoes(connection, pipeline);
        return tailRun(call, run, json);
      });
      if (!json)
        say(
          `${describeStatus(detail)}  ${detail.receipt ? describeReceipt(detail.receipt) : (detail.error?.message ?? '')}`,
        );
      process.exitCode = exitCodeOfRun(detail);
    });
}

export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .summary('recount a finished run and compare with its receipt')
    .description(
      'Counts a finished run again, from its file and the tables, and compares with its receipt. Exit code 1 when they differ.',
    )
    .addHelpText('after', '\nExample:\n  millrace verify 01a1e155-…')
    .argument('<run>', 'id of the run')
    .action(async (run: string, _: RunOptions, command: Command) => {
      const answer = await withConnection({ run }, ({ call }) => call('runs.verify', { params: { run_id: run } }));
      if (command.optsWithGlobals<RunOptions>().json) sayJson(answer);
      else sayVerification(answer);
      process.exitCode = answer.matches ? exitCodes.ok : exitCodes.failed;
    });
}

function sayVerification({ matches, receipt, recount, differences }: AnswerOf<'runs.verify'>): void {
  say(`receipt  ${describeReceipt(receipt)}`);
  say(`recount  ${describeReceipt(recount)}`);
  for (const difference of differences) say(`  ${difference}`);
  say(matches ? '✔ they agree' : '✖ they do not agree');
}

function addActCommand(runs: Command, act: Act): void {
  const { summary, description, example } = acts[act];
  const command = filters(runs.command(act))
    .summary(summary)
    .description(
      `${description} Name the runs, or give filters to reach every run they match. Exit code: 0 all of them, 2 a part, 1 none.`,
    )
    .argument('[run...]', 'ids of runs')
    .option('--yes', 'with filters: do it; without it, the command only says how many runs match')
    .addHelpText(
      'after',
      `\nExamples:\n  millrace runs ${act} 01a1e155-…\n  millrace runs ${act} ${example}         says how many\n  millrace runs ${act} ${example} --yes   does it`,
    );
  if (act === 'retry') command.option('--force-partial', 'store the valid rows even when too many were refused');
  command.action(async (ids: string[], _: RunOptions, self: Command) => {
    const options = self.optsWithGlobals<RunOptions>();
    const answers = ids.length > 0 ? await actOnEach(ids, act, options) : await actOnMatching(act, options);
    if (options.json) sayJson(answers);
  });
}

/** One that is refused does not keep the others from it. */
async function actOnEach(ids: readonly string[], act: Act, options: RunOptions) {
  const answers: (AnswerOf<'runs.hold'> | { run_id: string; error: Omit<Failure, 'exitCode'> })[] = [];
  const refusals: unknown[] = [];
  for (const id of ids) {
    try {
      const answer = await actOn(id, act, options);
      if (!options.json)
        say(answer.run_id === id ? `${id} ${describeStatus(answer)}` : `${id} goes on as ${answer.run_id}`);
      answers.push(answer);
    } catch (error) {
      if (ids.length === 1) throw error;
      const { exitCode: _, ...failure } = describeFailure(error);
      if (!options.json) printFailure(error, false);
      answers.push({ run_id: id, error: failure });
      refusals.push(error);
    }
  }
  if (refusals.length > 0) process.exitCode = refusals.length < ids.length ? exitCodes.partial : exitCodes.failed;
  return answers;
}

function actOn(id: string, act: Act, options: RunOptions) {
  return withConnection({ run: id }, ({ call }) => {
    const params = { run_id: id };
    if (act !== 'retry') return call(`runs.${act}`, { params });
    return call('runs.retry', { params, body: options.forcePartial ? { force_partial: true } : {} });
  });
}

/** Says the count before acting; the server refuses when it has changed by then. */
async function actOnMatching(act: Act, options: RunOptions): Promise<unknown> {
  const filter = filterOf(options);
  if (Object.keys(filter).length === 0) throw new MillraceError('runs_unnamed', { act });
  return withConnection(options, async ({ call }: Connection) => {
    const seen = await call('runs.bulk', { body: { action: act, filter, preview: true } });
    if (!options.yes || seen.count === 0) {
      note(`${act} would reach ${plural(seen.count, 'run')}.${seen.count > 0 ? ' Add --yes to do it.' : ''}`);
      return seen;
    }
    const done = await call('runs.bulk', { body: { action: act, filter, expected: seen.count } });
    note(
      `${act}: ${plural(done.changed, 'run')} changed, ${done.skipped.length} were skipped because their state had changed.`,
    );
    if (done.skipped.length > 0) process.exitCode = done.changed > 0 ? exitCodes.partial : exitCodes.failed;
    return done;
  });
}

async function show(run: string, command: Command): Promise<void> {
  const detail = await withConnection({ run }, ({ call }) => call('runs.show', { params: { run_id: run } }));
  if (command.optsWithGlobals<RunOptions>().json) sayJson(detail);
  else say(formatRun(detail));
}

function filters(command: Command): Command {
  return command
    .option('--pipeline <name>', 'only runs of this pipeline (several: a,b)')
    .option('--status <word>', 'only runs with this status (several: a,b)')
    .option('--phase <phase>', `${phases.join(', ')} (several: a,b)`, readPhases)
    .addOption(tenantOption());
}

/** A word that is no phase would match nothing, which is not what was meant. */
function readPhases(text: string): string {
  const unknown = text.split(',').find((word) => !phases.some((phase) => phase === word));
  if (unknown !== undefined) throw new InvalidArgumentError(`"${unknown}" is none of ${phases.join(', ')}.`);
  return text;
}

function filterOf({ pipeline, status, phase }: RunOptions) {
  return {
    ...(pipeline === undefined ? {} : { pipeline }),
    ...(status === undefined ? {} : { status }),
    ...(phase === undefined ? {} : { phase }),
  };
}
