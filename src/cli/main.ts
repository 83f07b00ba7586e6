#!/usr/bin/env node
// How every command ends: with the exit code a script can use, and a sentence where it failed.
import { CommanderError } from 'commander';
import { printFailure } from './failure.ts';
import { buildProgram } from './program.ts';

const program = buildProgram();

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else process.exitCode = printFailure(error, program.opts<{ json?: boolean }>().json ?? false);
}
