// The golden path: proof on a live installation that a batch lands once. Standard output holds the specification's lines; what each
// check saw goes to standard error.
import { createInterface } from 'node:readline/promises';
import { type Command, Option } from 'commander';
import { type Connection, withConnection, withToolbox } from '../../../cli/connection.ts';
import { note, say, sayJson } from '../../../cli/output.ts';
import { tenantOption } from '../../../cli/tenant-option.ts';
import { workIfNobodyDoes } from '../../../cli/work-here.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { proveCrashes } from './golden-path/chaos.ts';
import {
  type Check,
  checkCleanup,
  checkCompletion,
  checkDuplicate,
  checkUpdate,
  sameCase,
  testBatch,
} from './golden-path/checks.ts';
import { checkTables } from './golden-path/table-checks.ts';

interface GoldenPathOptions {
  readonly env: 'dev' | 'prod';
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly chaos?: boolean;
  readonly tenant?: string;
  readonly timeout: string;
  readonly json?: boolean;
}

const NAME_WIDTH = 20;
const SUCCESS = '  [SUCCESS] Golden Path Verified - Data Moat is operational!';

export function addGoldenPathCommand(program: Command): void {
  program
    .command('golden-path')
    .summary('check that this installation imports a batch of judgments once')
    .description(
      'Submits a test batch, waits for its end, submits it again, and removes what it stored. Exit code: 0 passed, 1 failed.\n' +
        'On an installation without tenants it creates one for itself and removes it. With MILLRACE_URL it uses that server.\n' +
        'In production it asks first. --chaos also kills a worker while it works; only in dev, and only if no other worker runs.',
    )
    .addOption(new Option('--env <env>', 'which installation this is').choices(['dev', 'prod']).makeOptionMandatory())
    .option('--dry-run', 'check the tables only, write nothing')
    .option('--yes', 'do not ask')
    .option('--chaos', 'kill a worker, deliver twice, take over (dev only)')
    .addOption(tenantOption())
    .option('--timeout <seconds>', 'how long a batch may take', '120')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace golden-path --env dev\n  millrace golden-path --env prod --dry-run\n  millrace golden-path --env dev --chaos',
    )
    .action((_: GoldenPathOptions, command: Command) => goldenPath(command.optsWithGlobals<GoldenPathOptions>()));
}

async function goldenPath(options: GoldenPathOptions): Promise<void> {
  if (options.chaos && options.env !== 'dev')
    throw new MillraceError('golden_path_dev_only', { reason: 'this is production' });
  if (options.env === 'prod' && !options.dryRun) await confirm(options);
  const checks =
    options.dryRun && !process.env.MILLRACE_URL
      ? await withToolbox(async ({ engine }) => lookOnly(await checkTables(engine.pools.control), options))
      : await withConnection({ ...options, makesTrialTenant: true }, (connection) => walk(connection, options));
  const broken = checks.filter(({ isHeld }) => !isHeld);
  if (options.json) sayJson({ ok: broken.length === 0, checks });
  if (broken.length > 0)
    throw new MillraceError('golden_path_failed', {
      checks: broken.map(({ name, detail }) => `${name} (${detail})`).join('; '),
    });
  if (!options.json) say(options.dryRun ? '  [SUCCESS] Dry run: nothing was written' : SUCCESS);
}

async function walk(connection: Connection, options: GoldenPathOptions): Promise<Check[]> {
  const { call } = connection;
  const { data } = await call('batches.checks');
  const tables = data.map(({ name, holds, detail }) => ({ name, isHeld: holds, detail }));
  if (options.dryRun) return lookOnly(tables, options);
  const checks: Check[] = [];
  const held = (check: Check) => {
    checks.push(check);
    if (!options.json) tellCheck(check);
  };
  const aside = (check: Check) => {
    checks.push(check);
    note(`  ${check.name}: ${check.isHeld ? 'ok' : 'FAIL'}, ${check.detail}`);
  };
  for (const check of tables) aside(check);
  const suffix = `${Date.now()}_${process.pid}`;
  const timeoutMs = Number(options.timeout) * 1_000;
  const crashes = options.chaos ? await proveCrashes(connection, { suffix, timeoutMs }) : [];
  // The crash proofs have made this process a worker.
  if (!options.chaos) await workIfNobodyDoes(connection, 'judgments');
  const [batch, again] = [testBatch(suffix), sameCase(suffix)];
  try {
    held(await checkCompletion(call, batch, timeoutMs));
    held(await checkDuplicate(call, batch));
    aside(await checkUpdate(call, batch, again, timeoutMs));
  } catch (error) {
    // Whatever stopped the checks: what they stored goes.
    await checkCleanup(call, batch, again).catch(() => undefined);
    throw error;
  }
  held(await checkCleanup(call, batch, again));
  for (const check of crashes) held(check);
  return checks;
}

/** A dry run says every check aloud and does nothing else. */
function lookOnly(tables: readonly Check[], options: GoldenPathOptions): Check[] {
  if (!options.json) for (const check of tables) tellCheck(check);
  return [...tables];
}

function tellCheck({ name, isHeld, detail }: Check): void {
  say(`  ${`${name}:`.padEnd(NAME_WIDTH)}${isHeld ? 'PASS' : 'FAIL'}`);
  note(`    ${detail}`);
}

async function confirm({ yes }: GoldenPathOptions): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) throw new MillraceError('golden_path_unconfirmed');
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asking.question('Write a test batch into PRODUCTION and remove it again? (yes/no) ');
  asking.close();
  if (answer.trim().toLowerCase() !== 'yes') throw new MillraceError('golden_path_unconfirmed');
}
