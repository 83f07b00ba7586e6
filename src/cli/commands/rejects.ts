// The refused rows of a run: by cause for a person, as CSV to be corrected and uploaded again.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { AnswerOf } from '../../contract/api/client.ts';
import { withConnection } from '../connection.ts';
import { type Column, formatCount, formatTable, say, sayJson } from '../output.ts';

type Cluster = AnswerOf<'rejects.clusters'>['data'][number];

const columns: readonly Column<Cluster>[] = [
  { title: 'rows', value: (cluster) => formatCount(cluster.count), right: true },
  { title: 'open', value: (cluster) => formatCount(cluster.open), right: true },
  { title: 'column', value: (cluster) => cluster.column ?? '' },
  { title: 'what is wrong', value: (cluster) => cluster.message },
  { title: 'for example', value: describeExample },
  { title: 'suggestion', value: (cluster) => cluster.fix?.label ?? '' },
];

export function addRejectsCommand(program: Command): void {
  program
    .command('rejects')
    .summary('the refused rows of a run')
    .description(
      'Shows the refused rows of a run by cause, and how many are still open; with --csv writes them all, with row, code and message added.',
    )
    .argument('<run>', 'id of the run')
    .option('--csv', 'print the rows as CSV, to correct and upload them')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace rejects 01a1e155-…\n  millrace rejects 01a1e155-… --csv > to-fix.csv',
    )
    .action(async (run: string, _, command: Command) => {
      const { csv, json } = command.optsWithGlobals<{ csv?: boolean; json?: boolean }>();
      await withConnection({ run }, async ({ call }) => {
        const params = { run_id: run };
        if (csv) return writeOut(await call('rejects.download', { params }));
        const { data } = await call('rejects.clusters', { params });
        if (json) sayJson(data);
        else say(data.length === 0 ? 'No row was refused.' : formatTable(columns, data));
      });
    });
}

function describeExample({ examples }: Cluster): string {
  const [first] = examples;
  if (first === undefined) return '';
  return `${first.value === null ? '(empty)' : `"${first.value}"`}${first.line === null ? '' : ` in line ${first.line}`}`;
}

async function writeOut(answer: Response): Promise<void> {
  if (answer.body === null) return;
  await pipeline(Readable.fromWeb(answer.body as import('node:stream/web').ReadableStream), process.stdout, {
    end: false,
  });
}
