import { describe, expect, it } from 'vitest';
import { type Block, placeBlocks, type ReadPage, type Unit } from '../extract/page.ts';
import { type Chunk, chunkPages } from './chunk-pages.ts';
import { embeddedText, passagesOf } from './passages.ts';
import { wordCount } from './text-measure.ts';

const words = (text: string) => text.match(/\S+/g)?.length ?? 0;
const sentence = (at: number) => `Sentence ${at} has exactly nine words in it now.`;
const paragraph = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => sentence(from + at)).join(' ');

function page(pageNo: number, blocks: readonly Block[]): ReadPage {
  const placed = placeBlocks(blocks);
  return {
    pageNo,
    fate: 'text',
    reason: null,
    width: 595,
    height: 842,
    ...placed,
    charStart: 0,
    charEnd: placed.text.length,
    ocrConfidence: null,
    garbledShare: 0,
    tables: 0,
    tablesLost: 0,
  };
}

async function chunked(pages: readonly ReadPage[], unit: Unit = 'page'): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of chunkPages(pages, unit, words)) chunks.push(chunk);
  return chunks;
}

describe('chunks', () => {
  it('hold 350 to 500 tokens where the text allows it, and never over 800', async () => {
    const pages = Array.from({ length: 6 }, (_, at) =>
      page(
        at + 1,
        Array.from({ length: 5 }, (_each, block) => ({
          kind: 'paragraph' as const,
          text: paragraph(at * 100 + block * 10, 10),
        })),
      ),
    );
    const chunks = await chunked(pages);
    for (const { tokens } of chunks.slice(0, -1)) expect(tokens).toBeGreaterThanOrEqual(350);
    for (const { tokens } of chunks) expect(tokens).toBeLessThanOrEqual(500);
    expect(
      (await chunked([page(1, [{ kind: 'paragraph', text: 'word '.repeat(5_000) }])])).every(
        ({ tokens }) => tokens <= 800,
      ),
    ).toBe(true);
  });

  it('lose no word and repeat none', async () => {
    const text = paragraph(0, 300);
    const chunks = await chunked([page(1, [{ kind: 'paragraph', text }])]);
    expect(
      chunks
        .map((chunk) => chunk.text)
        .join(' ')
        .replace(/\s+/g, ' '),
    ).toBe(text);
  });

  it('start at a heading and carry the path of headings', async () => {
    const chunks = await chunked([
      page(1, [
        { kind: 'heading', level: 1, text: 'One' },
        { kind: 'paragraph', text: paragraph(0, 20) },
        { kind: 'heading', level: 2, text: 'One point one' },
        { kind: 'paragraph', text: paragraph(20, 20) },
        { kind: 'heading', level: 1, text: 'Two' },
        { kind: 'paragraph', text: paragraph(40, 20) },
      ]),
    ]);
    expect(chunks.map(({ headingPath }) => headingPath)).toEqual([['One'], ['One', 'One point one'], ['Two']]);
  });

  it('say so when they go on over the end of a page; their passages do not', async () => {
    const box = { x: 1, y: 2, w: 3, h: 4 };
    const [chunk] = await chunked([
      page(1, [{ kind: 'paragraph', text: paragraph(0, 15), box }]),
      page(2, [{ kind: 'paragraph', text: paragraph(15, 15), box }]),
    ]);
    expect(chunk).toMatchObject({
      pageFrom: 1,
      pageTo: 2,
      boxes: [
        { page: 1, ...box },
        { page: 2, ...box },
      ],
    });
    const passages = passagesOf(chunk as Chunk);
    for (const { pageNo, start, end } of passages) {
      const text = chunk?.text.slice(start, end) ?? '';
      expect(text).toMatch(pageNo === 1 ? /^Sentence [0-9]|1[0-4]/ : /^Sentence (1[5-9]|2)/);
      expect(wordCount(text)).toBeLessThanOrEqual(170);
    }
    expect(passages.map(({ pageNo }) => pageNo)).toEqual([1, 2]);
  });

  it('leave running headers out', async () => {
    const [chunk] = await chunked([
      page(1, [
        { kind: 'running', text: 'Manual, page 1' },
        { kind: 'paragraph', text: 'Body.' },
      ]),
    ]);
    expect(chunk?.text).toBe('Body.');
  });

  it('of sections point to characters', async () => {
    const [chunk] = await chunked(
      [
        page(3, [
          { kind: 'paragraph', text: 'Alpha.' },
          { kind: 'paragraph', text: 'Beta.' },
        ]),
      ],
      'section',
    );
    expect(chunk?.boxes).toEqual([
      { page: 3, start: 0, end: 6 },
      { page: 3, start: 8, end: 13 },
    ]);
  });
});

describe('what is embedded', () => {
  it('has title and heading path in front, each once', () => {
    expect(embeddedText('Manual', ['Manual', 'Setup'], 'Text.')).toBe('Manual > Setup\nText.');
  });
});
