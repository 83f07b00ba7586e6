// Blocks from HTML, read as a stream of tags: no tree is built, so that a page with a million nodes costs what its text costs. Used for
// HTML pages, for what mammoth makes of DOCX, and for the article that readability found.
import { Parser } from 'htmlparser2';
import { type Block, cleanText, tableText } from './page.ts';

const skipped = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'math',
  'iframe',
  'object',
  'head',
  'select',
  'button',
]);
/** What surrounds the content of a page; only left out where the whole page is read. */
const chrome = new Set(['nav', 'footer', 'aside', 'header', 'form']);
const breaking = new Set(
  `p div section article main ul ol dl dt dd blockquote figure figcaption address details summary hr center body html
   nav footer aside header form fieldset tbody thead tfoot caption`.split(/\s+/),
);
const MAX_CELLS = 200_000;

export interface HtmlOptions {
  /** Leave out navigation, header and footer elements. */
  readonly dropChrome?: boolean;
}

export function htmlBlocks(html: string, options: HtmlOptions = {}): Block[] {
  const reader = new BlockReader(options.dropChrome === true);
  const parser = new Parser(
    {
      onopentag: (name) => reader.open(name),
      ontext: (text) => reader.text(text),
      onclosetag: (name) => reader.close(name),
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  parser.write(html);
  parser.end();
  return reader.end();
}

class BlockReader {
  readonly #blocks: Block[] = [];
  readonly #dropChrome: boolean;
  #text = '';
  #kind: Block['kind'] = 'paragraph';
  #level: number | undefined;
  #skip: { name: string; depth: number } | undefined;
  #listDepth = 0;
  #rows: string[][] | undefined;
  #cells = 0;
  #tableDepth = 0;
  #isPre = false;

  constructor(dropChrome: boolean) {
    this.#dropChrome = dropChrome;
  }

  open(name: string): void {
    if (this.#skip !== undefined) {
      if (name === this.#skip.name) this.#skip.depth += 1;
      return;
    }
    if (skipped.has(name) || (this.#dropChrome && chrome.has(name))) {
      this.#flush();
      this.#skip = { name, depth: 1 };
    } else if (name === 'br') this.#text += '\n';
    else if (name === 'table') this.#openTable();
    else if (this.#rows !== undefined) this.#openInTable(name);
    else if (/^h[1-6]$/.test(name)) this.#begin('heading', Number(name[1]));
    else if (name === 'li') this.#begin('list_item', Math.max(1, this.#listDepth));
    else if (name === 'pre') {
      this.#begin('code');
      this.#isPre = true;
    } else if (breaking.has(name)) {
      if (name === 'ul' || name === 'ol') this.#listDepth += 1;
      // A paragraph inside a list item belongs to it as long as it is the first.
      if (!(this.#kind === 'list_item' && this.#text.trim() === '')) this.#begin('paragraph');
    }
  }

  close(name: string): void {
    if (this.#skip !== undefined) {
      if (name === this.#skip.name && --this.#skip.depth === 0) this.#skip = undefined;
      return;
    }
    if (name === 'table') this.#closeTable();
    else if (this.#rows !== undefined) return;
    else if (/^h[1-6]$/.test(name) || name === 'li' || name === 'pre' || breaking.has(name)) {
      this.#flush();
      if (name === 'pre') this.#isPre = false;
      if (name === 'ul' || name === 'ol') this.#listDepth = Math.max(0, this.#listDepth - 1);
    }
  }

  text(text: string): void {
    if (this.#skip !== undefined) return;
    const last = this.#rows?.at(-1);
    if (this.#rows === undefined) this.#text += this.#isPre ? text : text.replace(/\s+/g, ' ');
    else if (last !== undefined && last.length > 0) last[last.length - 1] += text.replace(/\s+/g, ' ');
  }

  end(): Block[] {
    this.#closeTable();
    this.#flush();
    return this.#blocks;
  }

  #begin(kind: Block['kind'], level?: number): void {
    this.#flush();
    this.#kind = kind;
    this.#level = level;
  }

  #flush(): void {
    const text = cleanText(this.#text);
    if (text !== '')
      this.#blocks.push({ kind: this.#kind, text, ...(this.#level === undefined ? {} : { level: this.#level }) });
    this.#text = '';
    this.#kind = 'paragraph';
    this.#level = undefined;
  }

  #openTable(): void {
    this.#tableDepth += 1;
    if (this.#tableDepth > 1) return;
    this.#flush();
    this.#rows = [];
    this.#cells = 0;
  }

  #openInTable(name: string): void {
    if (name === 'tr') this.#rows?.push([]);
    else if ((name === 'td' || name === 'th') && this.#cells++ < MAX_CELLS) {
      if (this.#rows?.length === 0) this.#rows.push([]);
      this.#rows?.at(-1)?.push('');
    } else if (this.#rows?.at(-1)?.length) this.text(' ');
  }

  #closeTable(): void {
    if (this.#tableDepth === 0 || --this.#tableDepth > 0 || this.#rows === undefined) return;
    const rows = this.#rows.map((cells) => cells.map(cleanText)).filter((cells) => cells.some((cell) => cell !== ''));
    this.#rows = undefined;
    if (rows.length === 0) return;
    // A table of one column is layout, not a table.
    if (rows.every((cells) => cells.length <= 1))
      for (const [cell] of rows) this.#blocks.push({ kind: 'paragraph', text: cell ?? '' });
    else this.#blocks.push({ kind: 'table', text: tableText(rows), rows });
  }
}
