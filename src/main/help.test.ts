import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../contract/errors/catalogue.ts';
import type { ErrorEntry } from '../contract/errors/entry.ts';
import { buildProgram } from './program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = buildProgram();

const nameOf = (command: Command): string =>
  command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
const withAllBelow = (command: Command): Command[] => [command, ...command.commands.flatMap(withAllBelow)];
const all = withAllBelow(program);

/** All of it, also what stands after the options. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (more) => {
      text += more;
    },
  });
  command.outputHelp();
  return text;
}

describe('--help', () => {
  it.each(all.map((command) => [nameOf(command), command] as const))('%s says what it does', (_, command) => {
    expect(command.description()).toMatch(/^\S.*\.$/s);
    for (const { flags, description } of command.options)
      expect({ flags, description }).not.toMatchObject({ description: '' });
    for (const argument of command.registeredArguments) expect(argument.description, argument.name()).not.toBe('');
  });

  it.each(program.commands.map((command) => [nameOf(command), command] as const))(
    '%s shows how it is used',
    (name, command) => {
      expect(helpOf(command)).toMatch(new RegExp(`Examples?:\\n(?:.*\\n)*? .*${name}\\b`));
    },
  );

  it('lists every command with a line of its own, and the exit codes', () => {
    const help = helpOf(program);
    for (const command of program.commands) expect(help).toMatch(new RegExp(`^  ${command.name()}\\b.* {2}\\S`, 'm'));
    expect(help).toContain('Exit codes: 0');
  });
});

describe('a command that a text tells people to use', () => {
  const docs = readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md') && name !== 'errors.md');
  const texts = [
    ...['README.md', 'CONTRIBUTING.md', ...docs.map((name) => `docs/${name}`)].map(
      (file) => [file, readFileSync(path.join(root, file), 'utf8')] as const,
    ),
    ...Object.entries<ErrorEntry>(catalogue).map(([code, { message, next }]) => [code, `${message}\n${next}`] as const),
  ];

  it.each(texts)('is there: %s', (_, text) => {
    for (const [, words] of text.matchAll(/(?:^|["`(])millrace ((?:[a-z][a-z-]*(?: |\b))+)/gm))
      expect(findCommand(program, (words ?? '').trim().split(' ')), `millrace ${words}`).toBe(true);
  });

  function findCommand(from: Command, [word, ...rest]: readonly string[]): boolean {
    if (from.commands.length === 0 || word === undefined) return true;
    const next = from.commands.find((command) => command.name() === word);
    return next !== undefined && findCommand(next, rest);
  }
});
