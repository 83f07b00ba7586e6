// Plain text and Markdown. Text has paragraphs; Markdown has headings, lists, code and tables too, read line by line: whatever is no
// Markdown stays what it is.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { bytesSource } from '../../../tabular/byte-source.ts';
import { decodeText } from '../../../tabular/text/decode-text.ts';
import { detectEncoding } from '../../../tabular/text/detect-encoding.ts';
import { type Block, cleanText, tableText } from './page.ts';

export interface ReadText {
  readonly blocks: readonly Block[];
  readonly notes: readonly string[];
}

export async function readText(bytes: Uint8Array): Promise<ReadText> {
  const { text, notes } = await decode(bytes);
  return { blocks: paragraphsOf(text), notes };
}

export async function readMarkdown(bytes: Uint8Array): Promise<ReadText> {
  const { text, notes } = await decode(bytes);
  return { blocks: markdownBlocks(text), notes };
}

async function decode(bytes: Uint8Array): Promise<{ text: string; notes: string[] }> {
  const { value } = await detectEncoding(bytesSource(bytes)).catch((error: unknown) => {
    throw new MillraceError(
      'document_damaged',
      { reason: 'its text is in no encoding that is known' },
      { cause: error },
    );
  });
  const text = decodeText(bytes.subarray(value.bomBytes), value.name);
  // NUL is no character of a text: it comes from a damaged copy, or from a field that a program has filled up.
  const count = text.split('\0').length - 1;
  if (count === 0) return { text, notes: [] };
  const notes = [`${count} NUL ${count === 1 ? 'character was' : 'characters were'} left out`];
  return { text: text.replaceAll('\0', ''), notes };
}

/** A form feed ends a page of old text files; it ends a paragraph here. */
function paragraphsOf(text: string): Block[] {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n|\f/)
    .map((part): Block => ({ kind: 'paragraph', text: cleanText(part) }))
    .filter((block) => block.text !== '');
}

function markdownBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const flush = () => {
    const joined = cleanText(paragraph.join('\n'));
    if (joined !== '') blocks.push({ kind: 'paragraph', text: joined });
    paragraph = [];
  };
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const head = headOf(lines);
  if (head > 0) blocks.push({ kind: 'code', text: cleanText(lines.slice(1, head).join('\n')) });
  for (let at = head === 0 ? 0 : head + 1; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const fence = /^\s{0,3}(```+|~~~+)/.exec(line)?.[1];
    const heading = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line);
    const item = /^(\s*)(?:[-*+]\s+|(?=\d{1,9}[.)]\s))(.*)$/.exec(line);
    if (fence !== undefined) {
      flush();
      const end = lines.findIndex((each, index) => index > at && each.trim().startsWith(fence));
      const until = end === -1 ? lines.length : end;
      const code = cleanText(lines.slice(at + 1, until).join('\n'));
      if (code !== '') blocks.push({ kind: 'code', text: code });
      at = until;
    } else if (heading !== null) {
      flush();
      if (heading[2]) blocks.push({ kind: 'heading', level: (heading[1] ?? '#').length, text: cleanText(heading[2]) });
    } else if (isTable(lines, at)) {
      flush();
      let end = at;
      while ((lines[end] ?? '').includes('|')) end += 1;
      const rows = lines
        .slice(at, end)
        .filter((_, index) => index !== 1)
        .map(cellsOf);
      blocks.push({ kind: 'table', text: tableText(rows), rows });
      at = end - 1;
    } else if (paragraph.length > 0 && /^\s{0,3}(?:=+|-+)\s*$/.test(line)) {
      const title = paragraph.pop() ?? '';
      flush();
      blocks.push({ kind: 'heading', level: line.includes('=') ? 1 : 2, text: cleanText(title) });
    } else if (item !== null) {
      flush();
      const depth = Math.floor((item[1] ?? '').length / 2) + 1;
      if (item[2]) blocks.push({ kind: 'list_item', level: depth, text: cleanText(item[2]) });
    } else if (line.trim() === '') flush();
    else paragraph.push(line);
  }
  flush();
  return blocks.filter((block) => block.text !== '');
}

/** What the page says about itself, between two lines at its top: the second of them; 0 if there is none. */
function headOf(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== '---' || !/^[\w-]+\s*:/.test(lines[1] ?? '')) return 0;
  return Math.max(
    0,
    lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)\s*$/.test(line)),
  );
}

function isTable(lines: readonly string[], at: number): boolean {
  const rule = lines[at + 1];
  return (
    (lines[at] ?? '').includes('|') &&
    rule !== undefined &&
    /^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$/.test(rule) &&
    rule.includes('|')
  );
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
