// `millrace runs reread`: reads the stored file of an upload again, with the mapping that is saved now and the options of this command.
import type { Command } from 'commander';
import { withConnection } from '../connection.ts';
import { say, sayJson } from '../output.ts';

interface RereadOptions {
  readonly json?: boolean;
  readonly day?: string;
  readonly asPeriod?: boolean;
  readonly addRepeated?: boolean;
  readonly namesApart?: boolean;
  readonly without?: readonly string[];
}

export function addRereadCommand(runs: Command): void {
  runs
    .command('reread')
    .summary('read the stored file of an upload again')
    .description(
      'Reads the stored file again, with the mapping that is saved now and the options given here for this file alone. Rows that the former run stored and the new reading does not contain are removed. A failed run is retried.',
    )
    .argument('<run>', 'id of the run')
    .option('--day <date>', 'the day of every row, where the file has none')
    .option('--as-period', 'store rows that cover several days as one number of that period')
    .option('--add-repeated', 'add up rows with the same day and ids')
    .option('--names-apart', 'if several campaigns have the name, store it as a separate one')
    .option('--without <column...>', 'columns that are not read, by header')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace runs reread 01a1e155-…\n  millrace runs reread 01a1e155-… --as-period',
    )
    .action(async (run: string, _: RereadOptions, command: Command) => {
      const options = command.optsWithGlobals<RereadOptions>();
      const answer = await withConnection({ run, ...options }, ({ call }) =>
        call('uploads.reread', { params: { upload_id: run }, body: choicesOf(options) }),
      );
      if (options.json) sayJson(answer);
      else say(`${run} is read again as ${answer.upload_id}`);
    });
}

function choicesOf({ day, asPeriod, addRepeated, namesApart, without }: RereadOptions) {
  return {
    ...(day === undefined ? {} : { day }),
    ...(asPeriod === true ? { as_period: true } : {}),
    ...(addRepeated === true ? { add_repeated: true } : {}),
    ...(namesApart === true ? { names_apart: true } : {}),
    ...(without === undefined ? {} : { without_columns: [...without] }),
  };
}
