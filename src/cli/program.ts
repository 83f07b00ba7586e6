// The command line: its commands, in the order in which --help shows them.
import { Command } from 'commander';
import { version } from '../roles/version.ts';
import { addAlertCommands } from './commands/alerts.ts';
import { addConnectorCommands } from './commands/connectors.ts';
import { addDeadLetterCommands } from './commands/dead-letters.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addGoldenPathCommand } from './commands/golden-path.ts';
import { addIngestCommand } from './commands/ingest.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addRejectsCommand } from './commands/rejects.ts';
import { addRunCommands, addTailCommand, addVerifyCommand, addWhyCommand } from './commands/runs.ts';
import { addServeCommands } from './commands/serve.ts';
import { addSyncCommands } from './commands/syncs.ts';
import { addTenantCommands } from './commands/tenants.ts';
import { addUserCommands } from './commands/users.ts';
import { addWebhookCommands } from './commands/webhooks.ts';

/** `wantsJson`: what is wrong with a command is then left to its caller to say, for a program to read. */
export function buildProgram(wantsJson = false): Command {
  const program = new Command('millrace')
    .configureOutput(wantsJson ? { writeErr() {} } : {})
    .description(
      'Millrace takes in files, feeds and documents and turns them into rows in Postgres, durably: every acknowledged upload ' +
        'reaches exactly one end, with a receipt that adds up.',
    )
    .version(version)
    .option('--json', 'answer in JSON, for programs')
    .showHelpAfterError('(add --help to see how it is used)')
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText(
      'after',
      `
First steps:
  millrace start                       everything in one process, on http://127.0.0.1:8080
  millrace ingest june.csv --platform meta --watch
  millrace doctor                      is everything in order? what to do where it is not

Exit codes: 0 all went well · 2 a part of it (rows were refused) · 1 it failed · 78 the set-up is wrong`,
    );

  program.commandsGroup('Servers:');
  addServeCommands(program);
  program.commandsGroup('Runs:');
  addIngestCommand(program);
  addRunCommands(program);
  addWhyCommand(program);
  addTailCommand(program);
  addRejectsCommand(program);
  addVerifyCommand(program);
  addDeadLetterCommands(program);
  program.commandsGroup('Airbyte:');
  addConnectorCommands(program);
  addSyncCommands(program);
  program.commandsGroup('Operating:');
  addDoctorCommand(program);
  addAlertCommands(program);
  addGoldenPathCommand(program);
  addMigrateCommand(program);
  addTenantCommands(program);
  addUserCommands(program);
  addWebhookCommands(program);
  return program;
}
