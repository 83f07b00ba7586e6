// Blocks from HTML, read as a stream of tags: no tree is built, so that a page with a million nodes costs what its text costs. Used for
// HTML pages, for what mammoth makes of DOCX, and for the article that readability found. Pages of the world leave tags open: no tag that is never
// closed may swallow the rest of the page.
import { Parser } from 'htmlparser2';
import { type Block, cleanText, type Link, tableText } from './page.ts';

/** The end tag of head may be missing, so what it may hold is skipped one by one. */
const skipped = new Set(
  'script style title noscript template svg annotation annotation-xml iframe object select button'.split(' '),
);
/** They hold no blocks: one inside them says that their end tag is missing. */
const inline = new Set(['select', 'button']);
/** What surrounds the content of a page; only left out where the whole page is read. Headers, asides (footnotes!) and forms may hold the content itself. */
const chrome = new Set(['nav', 'footer']);
const breaking = new Set(
  `p div section article main ul ol dl dt dd blockquote figure figcaption address details summary hr center body html
   nav footer aside header form fieldset tbody thead tfoot caption`.split(/\s+/),
);
const MAX_CELLS = 200_000;
const MAX_HREF = 2_000;

export interface HtmlOptions {
  /** Leave out navigation and footers. */
  readonly dropChrome?: boolean;
  /** Put their numbers before the items of numbered lists. */
  readonly numbers?: boolean;
}

export function htmlBlocks(html: string, options: HtmlOptions = {}): Block[] {
  const reader = new BlockReader(options);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reader.open(name, attributes),
      ontext: (text) => reader.text(text),
      onclosetag: (name) => reader.close(name),
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  parser.write(html);
  parser.end();
  return reader.end();
}

type Attributes = Readonly<Record<string, string>>;

class BlockReader {
  readonly #blocks: Block[] = [];
  readonly #options: HtmlOptions;
  #text = '';
  #kind: Block['kind'] = 'paragraph';
  #level: number | undefined;
  #links: Link[] = [];
  #link: { href: string; from: number } | undefined;
  #skip: { name: string; depth: number } | undefined;
  /** For each list that is open the number of its next item; bullets have none. */
  #lists: (number | undefined)[] = [];
  #rows: string[][] | undefined;
  #cells = 0;
  #isCell = false;
  #number = '';
  #tableDepth = 0;
  #isPre = false;
  /** Text of a table that stands in none of its cells: its caption, or a mistake. */
  #loose = '';

  constructor(options: HtmlOptions) {
    this.#options = options;
  }

  open(name: string, attributes: Attributes): void {
    if (this.#skip !== undefined) {
      if (name === this.#skip.name) this.#skip.depth += 1;
      if (!inline.has(this.#skip.name) || !isBlock(name)) return;
      this.#skip = undefined;
    }
    if (name === 'a') this.#openLink(attributes.href);
    if (skipped.has(name) || (this.#options.dropChrome === true && chrome.has(name))) {
      if (!inline.has(name)) this.#flush();
      this.#skip = { name, depth: 1 };
    } else if (name === 'br') this.text('\n', true);
    else if (name === 'table') this.#openTable();
    else if (this.#rows !== undefined) this.#openInTable(name);
    else if (/^h[1-6]$/.test(name)) this.#begin('heading', Number(name[1]));
    else if (name === 'li') this.#beginItem(attributes.value);
    else if (name === 'pre') {
      this.#begin('code');
      this.#isPre = true;
    } else if (breaking.has(name)) {
      if (name === 'ul' || name === 'ol') this.#lists.push(name === 'ol' ? firstNumber(attributes) : undefined);
      // A paragraph inside a list item belongs to it as long as it is the first.
      if (!(this.#kind === 'list_item' && this.#text.trim() === '')) this.#begin('paragraph');
    }
  }

  close(name: string): void {
    if (this.#skip !== undefined) {
      if (name === this.#skip.name && --this.#skip.depth === 0) this.#skip = undefined;
      return;
    }
    if (name === 'a') this.#closeLink();
    if (name === 'table') this.#closeTable();
    else if (this.#rows !== undefined) this.#closeInTable(name);
    else if (/^h[1-6]$/.test(name) || name === 'li' || name === 'pre' || breaking.has(name)) {
      this.#flush();
      if (name === 'pre') this.#isPre = false;
      if (name === 'ul' || name === 'ol') this.#lists.pop();
    }
  }

  text(text: string, asIs = this.#isPre): void {
    if (this.#skip !== undefined) return;
    const said = asIs ? text : text.replace(/\s+/g, ' ');
    const last = this.#rows?.at(-1);
    if (this.#rows === undefined) this.#text += said;
    else if (last === undefined || last.length === 0 || !this.#isCell) this.#loose += said;
    else last[last.length - 1] += said;
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

  #beginItem(value: string | undefined): void {
    this.#begin('list_item', Math.max(1, this.#lists.length));
    const at = this.#lists.length - 1;
    const next = this.#lists[at];
    if (next === undefined) return;
    const number = value !== undefined && /^-?\d+$/.test(value) ? Number(value) : next;
    this.#lists[at] = number + 1;
    if (this.#options.numbers === true) this.#number = `${number}. `;
  }

  /** What is being read: a cell, or a block. */
  #current(): string {
    return this.#rows === undefined ? this.#text : (this.#rows.at(-1)?.at(-1) ?? '');
  }

  #openLink(href = ''): void {
    this.#closeLink();
    if (/^(?:https?|mailto):/i.test(href) && href.length <= MAX_HREF)
      this.#link = { href, from: this.#current().length };
  }

  #closeLink(): void {
    if (this.#link === undefined) return;
    const text = cleanText(this.#current().slice(this.#link.from)).replace(/\s+/g, ' ');
    if (text !== '') this.#links.push({ text, href: this.#link.href });
    this.#link = undefined;
  }

  #flush(): void {
    this.#closeLink();
    const text = cleanText(this.#text);
    if (text !== '')
      this.#blocks.push({
        kind: this.#kind,
        text: this.#number + text,
        ...(this.#level === undefined ? {} : { level: this.#level }),
        ...(this.#links.length === 0 ? {} : { links: this.#links }),
      });
    this.#text = '';
    this.#number = '';
    this.#links = [];
    this.#kind = 'paragraph';
    this.#level = undefined;
  }

  #openTable(): void {
    this.#tableDepth += 1;
    if (this.#tableDepth > 1) return;
    this.#flush();
    this.#rows = [];
    this.#isCell = false;
    this.#loose = '';
    this.#cells = 0;
  }

  #openInTable(name: string): void {
    if (name === 'tr') this.#rows?.push([]);
    else if ((name === 'td' || name === 'th') && this.#cells++ < MAX_CELLS) {
      if (this.#rows?.length === 0) this.#rows.push([]);
      this.#rows?.at(-1)?.push('');
      this.#isCell = true;
    } else {
      if (name === 'caption') this.#isCell = false;
      if (isBlock(name)) this.text(' ');
    }
  }

  /** Blocks part words; the end of a cell of an inner table does not end the outer one. */
  #closeInTable(name: string): void {
    if (isBlock(name)) this.text(' ');
    if (this.#tableDepth === 1 && /^(?:td|th|tr|caption)$/.test(name)) this.#isCell = false;
  }

  #closeTable(): void {
    this.#closeLink();
    if (this.#tableDepth === 0 || --this.#tableDepth > 0 || this.#rows === undefined) return;
    const rows = this.#rows
      .map((cells) => cells.map((cell) => cleanText(cell.replace(/ {2,}/g, ' '))))
      .filter((cells) => cells.some((cell) => cell !== ''));
    this.#rows = undefined;
    const links = this.#links.length === 0 ? {} : { links: this.#links };
    this.#links = [];
    const loose = cleanText(this.#loose);
    if (loose !== '') this.#blocks.push({ kind: 'paragraph', text: loose });
    if (rows.length === 0) return;
    // A table of one column is layout, not a table.
    if (rows.every((cells) => cells.length <= 1))
      for (const [cell] of rows) this.#blocks.push({ kind: 'paragraph', text: cell ?? '' });
    else this.#blocks.push({ kind: 'table', text: tableText(rows), rows, ...links });
  }
}

function isBlock(name: string): boolean {
  return breaking.has(name) || /^(?:h[1-6]|table|tr|td|th|pre|li)$/.test(name);
}

/** Letters and Roman numbers as numbers; a reader says which one is meant all the same. */
function firstNumber({ start = '1' }: Attributes): number {
  return /^-?\d+$/.test(start) ? Number(start) : 1;
}
