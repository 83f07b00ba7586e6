// `millrace migrate`: brings the schema up to date without starting a server, for installations with MIGRATE_ON_START=false.
import type { Command } from 'commander';
import { plural, say, sayJson } from '../cli/output.ts';
import { migrate } from '../platform/migrate.ts';
import { openDatabase } from '../platform/open-database.ts';
import { loadKits, loginsOf, schemaOf } from '../roles/kits.ts';
import { preparationsOf, prepareTables } from '../roles/prepare-tables.ts';
import { createToolProcess } from '../roles/role-process.ts';
import { readConfiguration } from './configuration.ts';

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .summary('bring the database schema up to date')
    .description(
      'Applies the missing migrations, each in a transaction of its own. You can run it twice, or from two machines at once. ' +
        'It refuses a database that is newer than this version.',
    )
    .addHelpText(
      'after',
      '\nExample:\n  DATABASE_URL=postgres://millrace@db/millrace DATABASE_MIGRATION_URL=postgres://owner@db/millrace millrace migrate',
    )
    .action(async (_, command: Command) => {
      const config = readConfiguration();
      const { log } = createToolProcess(config);
      const database = await openDatabase(config, log);
      try {
        const kits = await loadKits(config.pipelineModules);
        const { adminUrl: url, appLogin } = database;
        const result = await migrate({ ...schemaOf(kits), logins: loginsOf(kits, config) ?? [], url, appLogin, log });
        await prepareTables(preparationsOf(kits), { url, log });
        if (command.optsWithGlobals<{ json?: boolean }>().json) sayJson(result);
        else if (result.applied.length === 0) say(`The schema is up to date at ${result.version}.`);
        else say(`${plural(result.applied.length, 'migration')} applied:\n  ${result.applied.join('\n  ')}`);
      } finally {
        await database.stop();
      }
    });
}
