// HTML: the main article where there is one, else everything but navigation. Scripts do not run and nothing is fetched.
import { isProbablyReaderable, Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { bytesSource } from '../../../tabular/byte-source.ts';
import { decodeText } from '../../../tabular/text/decode-text.ts';
import { detectEncoding } from '../../../tabular/text/detect-encoding.ts';
import { htmlBlocks } from './html-blocks.ts';
import { type Block, wordsMissing, wordsOf } from './page.ts';

/** A tree of more nodes costs hundreds of megabytes; such a page is read as a stream. */
const MAX_TREE_TAGS = 60_000;
/** An article with less of the page's words than this is a teaser or a comment, not the page. */
const MIN_ARTICLE_SHARE = 0.3;
/** Navigation comes in short pieces. Whoever writes so many words in one piece says something: with more than so much of it outside, the article is not the page. */
const PROSE_WORDS = 20;
const MAX_PROSE_OUTSIDE = 0.05;
const CHARSET_BYTES = 4_096;
const TITLE_CHARS = 100_000;

export interface ReadDocument {
  readonly blocks: readonly Block[];
  readonly notes: readonly string[];
}

export async function readHtml(bytes: Uint8Array): Promise<ReadDocument> {
  const html = await decodeHtml(bytes);
  const all = htmlBlocks(html, { numbers: true });
  const whole = htmlBlocks(html, { dropChrome: true, numbers: true });
  const article = tagsOf(html) > MAX_TREE_TAGS ? undefined : articleOf(html);
  const isArticle = article !== undefined && isThePage(article, whole);
  const main = isArticle ? article : withTitle(whole, titleOf(html));
  // A page that is all navigation is still a page.
  const blocks = main.length > 0 ? main : all;
  const left = wordsMissing(all.map(({ text }) => text).join('\n'), blocks);
  return { blocks, notes: [...(left > 0 ? [leftOut(left, isArticle)] : []), ...notesOf(html)] };
}

function isThePage(article: readonly Block[], whole: readonly Block[]): boolean {
  const inside = new Set(article.map(({ text }) => text));
  const outside = whole.filter(({ text }) => !inside.has(text) && wordsOf(text).length >= PROSE_WORDS);
  const size = sizeOf(article);
  return size >= sizeOf(whole) * MIN_ARTICLE_SHARE && sizeOf(outside) <= size * MAX_PROSE_OUTSIDE;
}

function leftOut(words: number, isArticle: boolean): string {
  const what = isArticle ? 'what surrounds the article' : 'navigation and footers';
  return `${what} ${isArticle ? 'was' : 'were'} left out: ${words} word${words === 1 ? '' : 's'}`;
}

function articleOf(html: string): Block[] | undefined {
  try {
    const { document } = parseHTML(html);
    const tree = document as unknown as ConstructorParameters<typeof Readability>[0];
    if (!isProbablyReaderable(tree)) return undefined;
    const article = new Readability(tree, { maxElemsToParse: MAX_TREE_TAGS }).parse();
    if (article?.content == null) return undefined;
    return withTitle(htmlBlocks(article.content, { numbers: true }), article.title?.trim());
  } catch {
    // Readability gives up on trees it cannot follow; the stream reads every page.
    return undefined;
  }
}

function withTitle(blocks: Block[], title: string | undefined): Block[] {
  if (title === undefined || title === '' || blocks.length === 0) return blocks;
  const hasTitle = blocks.some(({ kind, text }) => text === title || (kind === 'heading' && title.includes(text)));
  return hasTitle ? blocks : [{ kind: 'heading', level: 1, text: title }, ...blocks];
}

/** Of the page itself; pictures have titles too. */
function titleOf(html: string): string | undefined {
  const found = /<title[^>]*>([^<]{1,500})<\/title/i.exec(html.slice(0, TITLE_CHARS))?.[1];
  return found === undefined ? undefined : htmlBlocks(found)[0]?.text;
}

function notesOf(html: string): string[] {
  const notes: string[] = [];
  if (/<script\b/i.test(html)) notes.push('scripts were not run');
  if (/<(?:img|link|iframe|video|audio|source|embed)\b[^>]*\b(?:src|href|data)\s*=\s*["']?(?:https?:)?\/\//i.test(html))
    notes.push('external references were not fetched');
  if (/<(?:object|embed|applet|i?frame)\b/i.test(html)) notes.push('embedded objects were ignored');
  if (/<(?:img|svg|canvas)\b/i.test(html)) notes.push('images were left out');
  if (/<(?:select|button)\b/i.test(html)) notes.push('buttons and choices were left out');
  const withoutScripts = html.matchAll(/<noscript\b[^>]*>([\s\S]*?)<\/noscript/gi);
  if ([...withoutScripts].some(([, inside = '']) => wordsOf(inside.replace(/<[^>]*>/g, '')).length > 0))
    notes.push('text for browsers without scripts was left out');
  return notes;
}

/** Named by the page itself, or found in the bytes. */
async function decodeHtml(bytes: Uint8Array): Promise<string> {
  const head = Buffer.from(bytes.subarray(0, CHARSET_BYTES)).toString('latin1');
  const named = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1]?.toLowerCase();
  const { value } = await detectEncoding(bytesSource(bytes)).catch(() => ({ value: undefined }));
  const body = bytes.subarray(value?.bomBytes ?? 0);
  if (value !== undefined && (value.bomBytes > 0 || value.name === 'utf-8')) return decodeText(body, value.name);
  try {
    return decodeText(body, named ?? value?.name ?? 'windows-1252');
  } catch {
    return decodeText(body, value?.name ?? 'windows-1252');
  }
}

function tagsOf(html: string): number {
  let tags = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) tags += 1;
  return tags / 2;
}

function sizeOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { text }) => sum + wordsOf(text).length, 0);
}
