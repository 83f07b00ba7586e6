// The statements of the product, from its source: every object with a name and a text that is given to `query`. Which tables one reads is
// told by its text; where that is put together from pieces, by all its file and what the file imports from other statements.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { listFiles } from '../../scripts/source-files.ts';

export interface Statement {
  readonly file: string;
  readonly line: number;
  /** As written; `*` stands for what is put in at run time. Null: it has no name. */
  readonly name: string | null;
  /** What is known of its text without running anything. */
  readonly source: string;
}

export const root = fileURLToPath(new URL('../..', import.meta.url));

const holdsStatements = (file: string) => /\/sql\/|^src\/engine\/reads\//.test(file) && !file.includes('.test.');
const query = /\bquery(?:Early)?(?:<[^()]*?>)?\(/g;
const named = /\bname: ([^\n]+?),\s*\n?\s*text\b/g;

export function listStatements(folders: readonly string[]): Statement[] {
  return listFiles(root, folders, /\.ts$/)
    .filter(holdsStatements)
    .flatMap((file) => statementsOf(file, readFileSync(path.join(root, file), 'utf8')));
}

export function statementsOf(file: string, text: string): Statement[] {
  const found = [...text.matchAll(named)].flatMap((match) => {
    const source = sourceOf(file, text, match.index);
    const line = lineAt(text, match.index);
    return namesIn(match[1] ?? '').map((name) => ({ file, line, name, source }));
  });
  const unnamed = [...text.matchAll(query)].filter(({ index }) => isUnnamed(text.slice(index, index + 200)));
  return [
    ...found,
    ...unnamed.map(({ index }) => ({
      file,
      line: lineAt(text, index),
      name: null,
      source: sourceOf(file, text, index),
    })),
  ];
}

/** A statement of its own: a text, or an object that has one, without a name. Passing a statement on is none. */
function isUnnamed(call: string): boolean {
  const given = call.slice(call.indexOf('(') + 1).trimStart();
  if (/^[`'"]/.test(given)) return !/^.(?:savepoint|rollback|release|begin|commit|listen)\b/i.test(given);
  return given.startsWith('{') && !/^\{[^`]*?\bname\b/s.test(given) && /^\{[^`]*?\btext\b/s.test(given);
}

/** `'a'`, a template, or either of two. */
function namesIn(expression: string): string[] {
  const literals = [...expression.matchAll(/`(?:[^`$]|\$\{[^}]*\})*`|'[^']*'/g)].map(([literal]) => literal);
  const whole = expression.startsWith('`') ? literals.slice(0, 1) : literals;
  return whole
    .map((literal) => literal.slice(1, -1).replaceAll(/\$\{[^}]*\}/g, '*'))
    .filter((name) => /^[a-z*][a-z0-9*_.-]+$/.test(name));
}

function sourceOf(file: string, text: string, from: number): string {
  const rest = text.slice(from);
  const own = rest.slice(0, rest.search(/\n\s*values:|\n {2}\}\)|\n\}/) + 1 || undefined);
  // A text that stands elsewhere in the file is put together there.
  return /\$\{|\btext,/.test(own) ? `${own}\n${text}\n${importedBy(file, text)}` : own;
}

function importedBy(file: string, text: string): string {
  return [...text.matchAll(/from '(\.[^']+)'/g)]
    .map((match) => path.posix.join(path.posix.dirname(file), match[1] ?? ''))
    .filter((each) => holdsStatements(each) && existsSync(path.join(root, each)))
    .map((each) => readFileSync(path.join(root, each), 'utf8'))
    .join('\n');
}

const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length;

export function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`).test(name);
}
