// A command from its arguments to its end: with an exit code for scripts and, if it failed, a sentence for people.
import { CommanderError } from 'commander';
import { printFailure } from '../cli/failure.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { loadKits } from '../roles/kits.ts';
import { buildProgram } from './program.ts';

// Looked for before anything is read: a command that cannot be understood must be answered in JSON, too.
const wantsJson = process.argv.includes('--json');

// Which Node we run on is said by package.json; a library's advice about it does not belong between the answers of a command.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

// `millrace runs list | head -1`: who has read enough hangs up. The command goes on to its orderly end, which also stops what it started.
process.stdout.on('error', ignoreHangUp);
process.stderr.on('error', ignoreHangUp);

try {
  await buildProgram(wantsJson, await loadKits(process.env.PIPELINE_MODULES)).parseAsync();
} catch (error) {
  process.exitCode = error instanceof CommanderError ? endOfUsage(error) : printFailure(error, wantsJson);
}

function ignoreHangUp(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** --help and --version end here as well, with 0. */
function endOfUsage({ exitCode, message }: CommanderError): number {
  if (exitCode === 0 || !wantsJson) return exitCode;
  const reason = message.replace(/^error: /, '').replace(/\.$/, '');
  return printFailure(new MillraceError('command_invalid', { reason }), true);
}
