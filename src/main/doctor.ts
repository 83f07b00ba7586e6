// `millrace doctor`: checks the installation and says what to do about each finding.
import type { Command } from 'commander';
import { examine, type Finding } from '../cli/doctor/examine.ts';
import { exitCodes } from '../cli/failure.ts';
import { paint, say, sayJson } from '../cli/output.ts';
import { loadKits, schemaOf } from '../roles/kits.ts';
import { createToolProcess } from '../roles/role-process.ts';
import { readConfiguration } from './configuration.ts';

const marks = { ok: '✔', warn: '!', fail: '✖' } as const;
const styles = { ok: 'green', warn: 'yellow', fail: 'red' } as const;
const NAME_WIDTH = 12;

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .summary('check the installation')
    .description(
      'Checks disk, blob store, database, schema, row-level security, clock, workers, runs, events and alerts: a line each, with the fix ' +
        'where something is wrong. It changes nothing. Exit code: 0 in order, 2 warnings, 1 something is broken.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  millrace doctor\n  millrace doctor --json | jq \'.[] | select(.state != "ok")\'',
    )
    .action(async (_, command: Command) => {
      const asJson = command.optsWithGlobals<{ json?: boolean }>().json ?? false;
      const config = readConfiguration();
      const { log } = createToolProcess(config);
      const kits = await loadKits(config.pipelineModules);
      const examined = { ...schemaOf(kits), checks: kits.flatMap(({ doctor = [] }) => doctor) };
      const findings: Finding[] = [];
      await examine(
        config,
        log,
        (finding) => {
          findings.push(finding);
          if (!asJson) sayFinding(finding);
        },
        examined,
      );
      if (asJson) sayJson(findings);
      process.exitCode = exitCodeOf(findings);
    });
}

function sayFinding({ check, state, detail, fix }: Finding): void {
  say(`${paint(styles[state], marks[state])} ${check.padEnd(NAME_WIDTH)} ${detail}`);
  if (fix !== undefined) say(`  ${' '.repeat(NAME_WIDTH)} ${paint('dim', `→ ${fix}`)}`);
}

function exitCodeOf(findings: readonly Finding[]): number {
  if (findings.some(({ state }) => state === 'fail')) return exitCodes.failed;
  return findings.some(({ state }) => state === 'warn') ? exitCodes.partial : exitCodes.ok;
}
