// Lists that come in pages: the options --limit and --after, and the line that says that there is more and how to continue.
import { type Command, InvalidArgumentError } from 'commander';
import { note, say, sayJson } from './output.ts';

export interface PageOptions {
  readonly limit: string;
  readonly after?: string;
}

interface Page<Row> {
  readonly data: readonly Row[];
  readonly next: string | null;
}

/** How a list is printed. */
interface Print<Row> {
  readonly json?: boolean | undefined;
  /** What is said when nothing matches. */
  readonly none: string;
  readonly format: (rows: readonly Row[]) => string;
}

/** Adds --limit and --after to a command that lists. */
export function inPages(command: Command, limit: number): Command {
  return command
    .option('--limit <count>', 'how many', wholeNumber, String(limit))
    .option('--after <place>', 'continue where the previous list ended; its last line names the place');
}

/** What the API asks for a page. */
export function pageQuery({ limit, after }: PageOptions): { limit: string; after?: string } {
  return { limit, ...(after === undefined ? {} : { after }) };
}

/** A program gets the rows alone; that there are more is said beside them, as JSON on standard error. */
export function sayPage<Row>({ data, next }: Page<Row>, { json = false, none, format }: Print<Row>): void {
  if (json) {
    sayJson(data);
    if (next !== null) note(JSON.stringify({ next }));
    return;
  }
  if (data.length > 0) say(format(data));
  else if (next === null) say(none);
  if (next !== null) say(`… and more: --after ${next}`);
}

function wholeNumber(text: string): string {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('Give a whole number, 1 or more.');
  return text;
}
