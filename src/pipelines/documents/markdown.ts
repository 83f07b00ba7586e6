// A version as Markdown, page by page. Text of the document is escaped where Markdown or a browser would read more into it.
import type { PlacedBlock, ReadPage, Unit } from './extract/page.ts';

export async function* markdownOf(title: string, unit: Unit, pages: AsyncIterable<ReadPage>): AsyncGenerator<string> {
  yield `# ${escapeInline(title)}\n`;
  for await (const page of pages) {
    if (unit === 'page') yield `\n<!-- page ${page.pageNo}${page.fate === 'text' ? '' : ` (${page.fate})`} -->\n`;
    for (const block of page.blocks) yield `\n${blockMarkdown(block)}\n`;
  }
}

function blockMarkdown(block: PlacedBlock): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(Math.min(6, (block.level ?? 1) + 1))} ${escapeInline(block.text)}`;
    case 'list_item':
      return `${'  '.repeat(Math.max(0, (block.level ?? 1) - 1))}- ${escapeInline(block.text.replace(/^[-•*·]\s+/, ''))}`;
    case 'code':
      return fenced(block.text);
    case 'table':
      return block.rows === undefined ? escapeBlock(block.text) : table(block.rows);
    default:
      return escapeBlock(block.text);
  }
}

function table(rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map((cells) => cells.length));
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, at) => escapeInline(cells[at] ?? '').replaceAll('|', '\\|')).join(' | ')} |`;
  const [head = [], ...rest] = rows;
  return [line(head), `|${' --- |'.repeat(width)}`, ...rest.map(line)].join('\n');
}

function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function escapeInline(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').replace(/[\\`*_<>[\]]/g, '\\$&');
}

/** What begins a line may also make it a heading, a list or a quote. */
function escapeBlock(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/[\\`*_<>[\]]/g, '\\$&').replace(/^(\s*)([#+-]|\d+[.)])(?=\s)/, '$1\\$2'))
    .join('\n');
}
