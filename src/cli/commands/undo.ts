// `millrace undo`: takes back what a finished run stored, after saying how much that is.
import type { Command } from 'commander';
import type { AnswerOf } from '../../contract/api/client.ts';
import { withConnection } from '../connection.ts';
import { note, say, sayJson } from '../output.ts';
import { describeReceipt, describeStatus } from '../runs/print-run.ts';
import { exitCodeOfRun, tailRun } from '../runs/tail-run.ts';
import { workIfNobodyDoes } from '../work-here.ts';

interface UndoOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function addUndoCommand(program: Command): void {
  program
    .command('undo')
    .summary('undo a finished run')
    .description(
      'Removes what a finished run stored and restores the earlier numbers that it replaced. What another run has restated since stays. Exit code: 0 done, 1 failed.',
    )
    .argument('<run>', 'id of the run')
    .option('--dry-run', 'show what the undo would remove and restore, and change nothing')
    .addHelpText('after', '\nExamples:\n  millrace undo 01a1e155-… --dry-run\n  millrace undo 01a1e155-…')
    .action(async (run: string, _: UndoOptions, command: Command) => {
      const { dryRun = false, json = false } = command.optsWithGlobals<UndoOptions>();
      await withConnection({ run }, async (connection) => {
        const { call } = connection;
        const { pipeline } = await call('runs.show', { params: { run_id: run } });
        const mustWork = !dryRun && (await workIfNobodyDoes(connection, pipeline));
        const answer = await call('runs.undo', { params: { run_id: run }, body: { dry_run: dryRun } });
        if (answer.run_id === null || !mustWork) {
          if (json) sayJson(answer);
          else say(`${describeUndo(answer)}: ${describeCounts(answer)}`);
          return;
        }
        if (!json) note(`${describeUndo(answer)}: ${describeCounts(answer)}`);
        const detail = await tailRun(call, answer.run_id, json);
        if (!json) say(`${describeStatus(detail)}  ${detail.receipt ? describeReceipt(detail.receipt) : ''}`);
        process.exitCode = exitCodeOfRun(detail);
      });
    });
}

function describeUndo({ undoes, run_id: undo }: AnswerOf<'runs.undo'>): string {
  return undo === null ? `${undoes} would be undone` : `${undoes} is undone by ${undo}`;
}

function describeCounts({ counts }: AnswerOf<'runs.undo'>): string {
  const named = Object.entries(counts).filter(([, count]) => count > 0);
  return named.length === 0 ? 'nothing of it is left' : named.map(([fate, count]) => `${count} ${fate}`).join(', ');
}
