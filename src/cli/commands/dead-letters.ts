// Dead letters: runs that are not retried by themselves. Requeueing one makes a successor, linked both ways; acknowledging one says that
// nothing more is to be done.
import type { Command } from 'commander';
import { withConnection } from '../connection.ts';
import { say, sayJson } from '../output.ts';
import { inPages, type PageOptions, pageQuery, sayPage } from '../pages.ts';
import { formatRuns } from '../runs/print-run.ts';
import { tenantOption } from '../tenant-option.ts';

interface DeadLetterOptions extends PageOptions {
  readonly tenant?: string;
  readonly pipeline?: string;
  readonly ticket: string;
  readonly reason: string;
  readonly json?: boolean;
}

export function addDeadLetterCommands(program: Command): void {
  const letters = program
    .command('dead-letters')
    .summary('list, requeue and acknowledge dead letters')
    .description(
      'A dead letter is a run that Millrace does not try again by itself: its retries are used up, its credential was refused, or it is a failed batch.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  millrace dead-letters list\n  millrace dead-letters requeue 01a1e155-… --ticket SUP-12\n' +
        '  millrace dead-letters acknowledge 01a1e155-… --reason "the vendor sends it again"',
    );

  inPages(letters.command('list'), 30)
    .summary('list the open ones')
    .description('Lists the dead letters nobody has requeued, retried, superseded or acknowledged, newest first.')
    .option('--pipeline <name>', 'only of this pipeline (several: a,b)')
    .addOption(tenantOption())
    .action(async (_: DeadLetterOptions, command: Command) => {
      const { pipeline, json, tenant, ...place } = command.optsWithGlobals<DeadLetterOptions>();
      const query = { ...pageQuery(place), ...(pipeline === undefined ? {} : { pipeline }) };
      const page = await withConnection({ tenant }, ({ call }) => call('dead-letters.list', { query }));
      sayPage(page, { json, none: 'There are no dead letters.', format: formatRuns });
    });

  letters
    .command('requeue')
    .summary('run one again, as a new run')
    .description(
      'Starts a dead letter again as a new run. Each of the two shows the id of the other. A second requeue is refused and names the first new run.',
    )
    .argument('<run>', 'id of the dead letter')
    .requiredOption('--ticket <id>', 'the support ticket this is done for')
    .action(async (run: string, _: DeadLetterOptions, command: Command) => {
      const { ticket, json } = command.optsWithGlobals<DeadLetterOptions>();
      const answer = await withConnection({ run, role: 'support' }, ({ call }) =>
        call('dead-letters.requeue', { params: { run_id: run }, body: { ticket } }),
      );
      if (json) sayJson(answer);
      else say(`${run} goes on as ${answer.run_id}.`);
    });

  letters
    .command('acknowledge')
    .summary('mark one as settled')
    .description(
      'Removes a dead letter from the list, because a person has handled it. The run itself does not change; the audit log keeps the reason.',
    )
    .argument('<run>', 'id of the dead letter')
    .requiredOption('--reason <text>', 'the ticket or the reason')
    .action(async (run: string, _: DeadLetterOptions, command: Command) => {
      const { reason, json } = command.optsWithGlobals<DeadLetterOptions>();
      const answer = await withConnection({ run }, ({ call }) =>
        call('dead-letters.acknowledge', { params: { run_id: run }, body: { reason } }),
      );
      if (json) sayJson(answer);
      else say(`${run} is acknowledged.`);
    });
}
