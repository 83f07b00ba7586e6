// The command line: its commands, in the order in which --help shows them.
import { Command } from 'commander';
import { addAlertCommands } from '../cli/commands/alerts.ts';
import { addDeadLetterCommands } from '../cli/commands/dead-letters.ts';
import { addIngestCommand } from '../cli/commands/ingest.ts';
import { addQuestionCommands } from '../cli/commands/questions.ts';
import { addRejectsCommand } from '../cli/commands/rejects.ts';
import { addRunCommands, addTailCommand, addVerifyCommand, addWhyCommand } from '../cli/commands/runs.ts';
import { addTenantCommands } from '../cli/commands/tenants.ts';
import { addUndoCommand } from '../cli/commands/undo.ts';
import { addUserCommands } from '../cli/commands/users.ts';
import { addWebhookCommands } from '../cli/commands/webhooks.ts';
import { provideTools } from '../cli/connection.ts';
import type { IngestWays } from '../cli/ingest/ingest-way.ts';
import { kits as ownKits } from '../pipelines/all.ts';
import type { KitCommands, PipelineKit } from '../pipelines/kit.ts';
import { version } from '../roles/version.ts';
import { withConnection } from './connect.ts';
import { addDoctorCommand } from './doctor.ts';
import { addMigrateCommand } from './migrate.ts';
import { addServeCommands } from './serve.ts';
import { withToolbox } from './toolbox.ts';

const OPERATING = 'Operating:';
const tools = { withConnection, withToolbox };

/**
 * `wantsJson`: what is wrong with a command is then left to its caller to say, for a program to read. `kits`: the pipelines whose
 * commands there are.
 */
export function buildProgram(wantsJson = false, kits: readonly PipelineKit[] = ownKits): Command {
  provideTools(tools);
  const program = new Command('millrace')
    .configureOutput(wantsJson ? { writeErr() {} } : {})
    .description(
      'Millrace takes files, feeds and documents and stores them in Postgres, durably: every upload that it acknowledges ' +
        'ends in exactly one state, with a receipt that adds up.',
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
  millrace doctor                      checks the installation and says how to fix what it finds

Exit codes: 0 success · 2 partial (rows were refused, or a doubt is open) · 1 failed · 78 wrong configuration`,
    );

  program.commandsGroup('Servers:');
  addServeCommands(program, kits);
  program.commandsGroup('Runs:');
  addIngestCommand(program, waysOf(kits));
  addRunCommands(program);
  addWhyCommand(program);
  addTailCommand(program);
  addQuestionCommands(program);
  addRejectsCommand(program);
  addVerifyCommand(program);
  addUndoCommand(program);
  addDeadLetterCommands(program);
  addKitCommands(program, kits);
  program.commandsGroup(OPERATING);
  addDoctorCommand(program);
  addAlertCommands(program);
  addMigrateCommand(program);
  addTenantCommands(program);
  addUserCommands(program);
  addWebhookCommands(program);
  for (const { add } of commandsOf(kits, (group) => group === OPERATING)) add(program, tools);
  return program;
}

/** How files of each pipeline go in. */
function waysOf(kits: readonly PipelineKit[]): IngestWays {
  const byPipeline = Object.fromEntries(kits.flatMap(({ name, ingest }) => (ingest ? [[name, ingest]] : [])));
  return { byPipeline, byDefault: kits.find(({ isDefault }) => isDefault)?.name ?? '' };
}

/** Under headings of their own, in the order of the kits. */
function addKitCommands(program: Command, kits: readonly PipelineKit[]): void {
  for (const { group, add } of commandsOf(kits, (name) => name !== OPERATING)) {
    program.commandsGroup(group);
    add(program, tools);
  }
}

function commandsOf(kits: readonly PipelineKit[], isWanted: (group: string) => boolean): KitCommands[] {
  return kits.flatMap(({ commands = [] }) => commands.filter(({ group }) => isWanted(group)));
}
