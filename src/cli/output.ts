// What the command line writes. Standard output holds the answer: words and colour for a terminal, plain words for a pipe, JSON
// when asked. Everything said on the way goes to standard error.
import { stripVTControlCharacters, styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** Numbers stand to the right. */
  readonly right?: boolean;
}

/** Colour only where a person looks: a terminal that has not been asked to do without. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  const wanted = stream.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  return wanted ? styleText(style, text, { validateStream: false }) : text;
}

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function sayJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Takes back the line that shows progress, where there is one. */
export function clearLine(): void {
  if (process.stdout.isTTY) process.stdout.write('\r\u001b[2K');
}

/** A table with one space of air; empty when there are no rows. */
export function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = rows.map((row) => columns.map((column) => inert(column.value(row)).replace(/\s/g, ' ')));
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...cells.map((line) => widthOf(line[index] ?? ''))),
  );
  const line = (values: readonly string[]) =>
    values
      .map((value, index) => pad(value, widths[index] ?? 0, columns[index]?.right ?? false))
      .join('  ')
      .trimEnd();
  const head = paint('dim', line(columns.map(({ title }) => title)));
  return [head, ...cells.map(line)].join('\n');
}

/** Lines of "name  value", names in one width. */
export function formatFacts(facts: readonly (readonly [string, string | undefined])[]): string {
  const shown = facts.filter((fact): fact is readonly [string, string] => fact[1] !== undefined);
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${paint('dim', name.padEnd(width))}  ${inert(value)}`).join('\n');
}

/**
 * Texts come from files and from other systems: what would move the cursor, name the window or turn the direction of the line around is shown as a sign in its place. Colours, which
 * are ours, stay.
 */
function inert(text: string): string {
  return text.replace(COMMANDS, '\ufffd');
}

const COMMANDS = new RegExp(
  [
    // Of escapes those that are colours stay.
    String.raw`\u001b(?!\[[0-9;]*m)`,
    String.raw`[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]`,
    String.raw`[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]`,
  ].join('|'),
  'g',
);

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** "3 runs", "1 run". */
export function plural(count: number, word: string): string {
  return `${formatCount(count)} ${word}${count === 1 ? '' : 's'}`;
}

function pad(text: string, width: number, right: boolean): string {
  const air = ' '.repeat(Math.max(0, width - widthOf(text)));
  return right ? air + text : text + air;
}

function widthOf(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}
