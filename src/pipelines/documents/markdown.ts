// A version as Markdown, page by page. Text of the document is escaped where Markdown or a browser would read more into it.
import type { Link, PlacedBlock, ReadPage, Unit } from './extract/page.ts';

export async function* markdownOf(title: string, unit: Unit, pages: AsyncIterable<ReadPage>): AsyncGenerator<string> {
  yield `# ${escapeInline(title)}\n`;
  for await (const page of pages) {
    if (unit === 'page') yield `\n<!-- page ${page.pageNo}${page.fate === 'text' ? '' : ` (${page.fate})`} -->\n`;
    for (const block of page.blocks) yield `\n${blockMarkdown(block)}\n`;
  }
}

function blockMarkdown(block: PlacedBlock): string {
  // Each is used once, in the order of the text.
  const links = [...(block.links ?? [])];
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(Math.min(6, (block.level ?? 1) + 1))} ${linked(block.text, links, escapeInline)}`;
    case 'list_item': {
      const [, marker = '-', text = ''] = /^(?:(\d+[.)])\s+|[-•*·]\s+|)(.*)$/s.exec(block.text) ?? [];
      return `${'  '.repeat(Math.max(0, (block.level ?? 1) - 1))}${marker} ${linked(text, links, escapeInline)}`;
    }
    case 'code':
      return fenced(block.text);
    case 'table':
      return block.rows === undefined ? escapeBlock(block.text) : table(block.rows, links);
    default:
      return linked(block.text, links, escapeBlock);
  }
}

/** The text with the links that stand in it; those it has are taken from the list. */
function linked(text: string, links: Link[], escaped: (text: string) => string): string {
  let [made, rest] = ['', text];
  for (let link = links[0]; link !== undefined; link = links[0]) {
    const at = rest.indexOf(link.text);
    if (at === -1) break;
    links.shift();
    const target = link.href.replace(
      /[()<>\s\\]/g,
      (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
    made += `${at === 0 ? '' : escaped(rest.slice(0, at))}[${escapeInline(link.text)}](${target})`;
    rest = rest.slice(at + link.text.length);
  }
  return made + (rest === '' ? '' : escaped(rest));
}

function table(rows: readonly (readonly string[])[], links: Link[]): string {
  const width = Math.max(...rows.map((cells) => cells.length));
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, at) => linked(cells[at] ?? '', links, escapeInline).replaceAll('|', '\\|')).join(' | ')} |`;
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
