// HTML: the main article where there is one, else everything but navigation. Scripts do not run and nothing is fetched.
import { isProbablyReaderable, Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { bytesSource } from '../../../tabular/byte-source.ts';
import { decodeText } from '../../../tabular/text/decode-text.ts';
import { detectEncoding } from '../../../tabular/text/detect-encoding.ts';
import { htmlBlocks } from './html-blocks.ts';
import type { Block } from './page.ts';

/** A tree of more nodes costs hundreds of megabytes; such a page is read as a stream. */
const MAX_TREE_TAGS = 60_000;
/** An article with less of the page's text than this is a teaser or a comment, not the page. */
const MIN_ARTICLE_SHARE = 0.3;
const CHARSET_BYTES = 4_096;

export interface ReadDocument {
  readonly blocks: readonly Block[];
  readonly notes: readonly string[];
}

export async function readHtml(bytes: Uint8Array): Promise<ReadDocument> {
  const html = await decodeHtml(bytes);
  const whole = htmlBlocks(html, { dropChrome: true });
  const article = tagsOf(html) > MAX_TREE_TAGS ? undefined : articleOf(html);
  const blocks = article !== undefined && charsOf(article) >= charsOf(whole) * MIN_ARTICLE_SHARE ? article : whole;
  // A page that is all navigation is still a page.
  return { blocks: blocks.length > 0 ? blocks : htmlBlocks(html), notes: notesOf(html) };
}

function articleOf(html: string): Block[] | undefined {
  try {
    const { document } = parseHTML(html);
    const tree = document as unknown as ConstructorParameters<typeof Readability>[0];
    if (!isProbablyReaderable(tree)) return undefined;
    const article = new Readability(tree, { maxElemsToParse: MAX_TREE_TAGS }).parse();
    if (article?.content == null) return undefined;
    const blocks = htmlBlocks(article.content);
    const title = article.title?.trim();
    const hasTitle = title === undefined || title === '' || blocks.some((block) => block.text === title);
    return hasTitle ? blocks : [{ kind: 'heading', level: 1, text: title }, ...blocks];
  } catch {
    // Readability gives up on trees it cannot follow; the stream reads every page.
    return undefined;
  }
}

function notesOf(html: string): string[] {
  const notes: string[] = [];
  if (/<script\b/i.test(html)) notes.push('scripts were not run');
  if (/<(?:img|link|iframe|video|audio|source|embed)\b[^>]*\b(?:src|href|data)\s*=\s*["']?(?:https?:)?\/\//i.test(html))
    notes.push('external references were not fetched');
  if (/<(?:object|embed)\b/i.test(html)) notes.push('embedded objects were ignored');
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

function charsOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { text }) => sum + text.length, 0);
}
