// Pages become chunks of 350 to 500 tokens, 800 at most: whole blocks are gathered, a heading begins a new chunk once there is something to
// end, and what is too long is cut at sentences. A chunk may go on over the end of a page; it then says so (page_from, page_to, boxes).
import type { PlacedBlock, ReadPage, Unit } from '../extract/page.ts';
import { cutSpan, sentencesOf } from './text-measure.ts';

const CHUNK_TOKENS = { least: 350, most: 500, cap: 800 } as const;
/** A heading ends a chunk that has at least this much. */
const HEADING_TOKENS = 120;
const MAX_HEADING_CHARS = 200;
const MAX_PATH = 6;
/** A piece of text without a place to cut it is cut after so many characters: no token is longer than itself. */
const MAX_PIECE_CHARS = 1_600;

/** Of a page, in points; of a section, in characters. */
export interface ChunkBox {
  readonly page: number;
  readonly x?: number;
  readonly y?: number;
  readonly w?: number;
  readonly h?: number;
  readonly start?: number;
  readonly end?: number;
}

/** Text of one page inside a chunk: where it stands in the chunk's text. */
export interface ChunkPart {
  readonly pageNo: number;
  readonly start: number;
  readonly end: number;
}

export interface Chunk {
  readonly chunkNo: number;
  readonly pageFrom: number;
  readonly pageTo: number;
  readonly text: string;
  readonly tokens: number;
  readonly headingPath: readonly string[];
  readonly boxes: readonly ChunkBox[];
  readonly parts: readonly ChunkPart[];
}

interface Piece {
  readonly text: string;
  readonly tokens: number;
  readonly pageNo: number;
  readonly box: ChunkBox;
  readonly isHeading: boolean;
  readonly path: readonly string[];
}

export type PagesInOrder = AsyncIterable<ReadPage> | Iterable<ReadPage>;

export async function* chunkPages(
  pages: PagesInOrder,
  unit: Unit,
  countTokens: (text: string) => number,
): AsyncGenerator<Chunk> {
  const headings: { level: number; text: string }[] = [];
  let gathered: Piece[] = [];
  let tokens = 0;
  let chunkNo = 0;
  for await (const page of pages) {
    for (const piece of piecesOf(page, unit, headings, countTokens)) {
      const isFull = tokens + piece.tokens > CHUNK_TOKENS.most && tokens > 0;
      // A short chunk takes one more piece up to the cap rather than stay short.
      const staysShort = tokens < CHUNK_TOKENS.least && tokens + piece.tokens <= CHUNK_TOKENS.cap;
      if ((isFull && !staysShort) || (piece.isHeading && tokens >= HEADING_TOKENS)) {
        yield joinPieces(gathered, chunkNo++, countTokens);
        gathered = [];
        tokens = 0;
      }
      gathered.push(piece);
      tokens += piece.tokens;
    }
  }
  if (gathered.length > 0) yield joinPieces(gathered, chunkNo, countTokens);
}

function* piecesOf(
  page: ReadPage,
  unit: Unit,
  headings: { level: number; text: string }[],
  countTokens: (text: string) => number,
): Generator<Piece> {
  for (const block of page.blocks) {
    if (block.kind === 'running' || block.text === '') continue;
    const isHeading = block.kind === 'heading' && block.text.length <= MAX_HEADING_CHARS;
    if (isHeading) enterHeading(headings, block.level ?? 2, block.text);
    const path = headings.map(({ text }) => text);
    for (const { text, start, tokens } of cutBlock(block, countTokens)) {
      const box = boxOf(page.pageNo, unit, block, start, start + text.length);
      yield { text, tokens, pageNo: page.pageNo, box, isHeading, path };
    }
  }
}

function enterHeading(headings: { level: number; text: string }[], level: number, text: string): void {
  while (headings.length > 0 && (headings.at(-1)?.level ?? 0) >= level) headings.pop();
  headings.push({ level, text });
  if (headings.length > MAX_PATH) headings.shift();
}

/** A block as one piece, or cut at lines, sentences and words where it is longer than a chunk should be. */
function* cutBlock(
  block: PlacedBlock,
  countTokens: (text: string) => number,
): Generator<{ text: string; start: number; tokens: number }> {
  const whole = block.text.length <= MAX_PIECE_CHARS * 2 ? countTokens(block.text) : Number.POSITIVE_INFINITY;
  if (whole <= CHUNK_TOKENS.most) {
    yield { text: block.text, start: block.start, tokens: whole };
    return;
  }
  const spans = sentencesOf(block.text).flatMap((span) => cutSpan(block.text, span, MAX_PIECE_CHARS));
  let from = 0;
  while (from < spans.length) {
    let tokens = 0;
    let to = from;
    for (; to < spans.length; to++) {
      const span = spans[to];
      if (span === undefined) break;
      const more = countTokens(block.text.slice(span.start, span.end));
      if (to > from && tokens + more > CHUNK_TOKENS.most) break;
      tokens += more;
    }
    const start = spans[from]?.start ?? 0;
    const text = block.text.slice(start, spans[to - 1]?.end ?? start);
    yield* withinCap(text, block.start + start, countTokens);
    from = to;
  }
}

/** Text of rare characters may hold more tokens than its length promises: halved until it fits. */
function* withinCap(
  text: string,
  start: number,
  countTokens: (text: string) => number,
): Generator<{ text: string; start: number; tokens: number }> {
  const tokens = countTokens(text);
  if (tokens <= CHUNK_TOKENS.cap || text.length < 2) {
    yield { text, start, tokens: Math.min(tokens, CHUNK_TOKENS.cap) };
    return;
  }
  for (const span of cutSpan(text, { start: 0, end: text.length }, Math.ceil(text.length / 2)))
    yield* withinCap(text.slice(span.start, span.end), start + span.start, countTokens);
}

function boxOf(page: number, unit: Unit, block: PlacedBlock, start: number, end: number): ChunkBox {
  if (unit === 'section') return { page, start, end };
  return block.box === undefined ? { page } : { page, ...block.box };
}

function joinPieces(pieces: readonly Piece[], chunkNo: number, countTokens: (text: string) => number): Chunk {
  let text = '';
  const parts: ChunkPart[] = [];
  const boxes: ChunkBox[] = [];
  for (const piece of pieces) {
    if (text !== '') text += '\n\n';
    const start = text.length;
    text += piece.text;
    const last = parts.at(-1);
    if (last?.pageNo === piece.pageNo) parts[parts.length - 1] = { ...last, end: text.length };
    else parts.push({ pageNo: piece.pageNo, start, end: text.length });
    if (!boxes.some((box) => JSON.stringify(box) === JSON.stringify(piece.box))) boxes.push(piece.box);
  }
  // The path under which its text stands: of the first piece that is no heading.
  const path = (pieces.find(({ isHeading }) => !isHeading) ?? pieces[0])?.path ?? [];
  return {
    chunkNo,
    pageFrom: parts[0]?.pageNo ?? 1,
    pageTo: parts.at(-1)?.pageNo ?? 1,
    text,
    tokens: Math.min(countTokens(text), CHUNK_TOKENS.cap),
    headingPath: path,
    boxes,
    parts,
  };
}
