// Real PDFs whose pages lie on their side or stand on their head, with a text layer and as scans: they are read as a person would turn them, and their boxes
// stand where the text is on the page as it is shown.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { degrees, PDFDocument, type PDFPage, StandardFonts } from 'pdf-lib';
import { afterAll, expect, it } from 'vitest';
import { tessdataFolder } from '../embedding/model-folder.ts';
import { PagesAhead } from './pages-ahead.ts';
import { renderPage } from './pdf-library.ts';
import { countPages, parsePages, readPdfPages } from './read-pdf.ts';
import { turnOf } from './upright-pages.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'millrace-upright-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lines = Array.from(
  { length: 8 },
  (_, at) => `Rule number ${at + 1} keeps record ${at + 10} for ${at + 2} years.`,
);
const [WIDTH, HEIGHT] = [595, 842];
const turns = [90, 180, 270] as const;

async function drawPdf(name: string, draw: (pdf: PDFDocument, page: PDFPage) => Promise<void> | void): Promise<string> {
  const pdf = await PDFDocument.create();
  await draw(pdf, pdf.addPage([WIDTH, HEIGHT]));
  const file = path.join(folder, name);
  writeFileSync(file, await pdf.save());
  return file;
}

const textPage = (turn: number, label?: string) =>
  drawPdf(`text-${turn}-${label}.pdf`, async (pdf, page) => {
    const font = await pdf.embedFont(StandardFonts.Helvetica);
    for (const [at, line] of lines.entries()) page.drawText(line, { x: 50, y: 750 - at * 16, size: 11, font });
    if (label !== undefined) page.drawText(label, { x: 400, y: 300, size: 11, font, rotate: degrees(180) });
    page.setRotation(degrees(turn));
  });

async function read(file: string, language = 'eng') {
  const { pages: total } = await countPages(file);
  const ahead = new PagesAhead((from, to) => parsePages(file, from, to), { total, isAhead: true });
  let reads = 0;
  const onRead = () => {
    reads += 1;
  };
  const options = { path: file, ocr: 'auto', tessdata: tessdataFolder, language, asked: {}, onRead } as const;
  const [page] = await readPdfPages(options, ahead, 1, total);
  if (page === undefined) throw new Error('no page was read');
  return { ...page, reads, words: page.text.replace(/\s+/g, ' ') };
}

it.each(turns)(
  'a page that is shown turned by %i degrees reads as the upright one, its box where its text is',
  async (turn) => {
    const upright = await read(await textPage(0));
    const { words, fate, reason, blocks, width, height } = await read(await textPage(turn));
    expect({ words, fate, reason }).toEqual({ words: upright.words, fate: 'text', reason: null });
    expect(upright.words).toBe(lines.join(' '));
    expect([width, height]).toEqual(turn === 180 ? [WIDTH, HEIGHT] : [HEIGHT, WIDTH]);
    const [box, uprightBox] = [blocks[0]?.box, upright.blocks[0]?.box];
    if (box === undefined || uprightBox === undefined) throw new Error('the text has no box');
    const { x, y, w, h } = uprightBox;
    const [right, bottom] = [WIDTH - x - w, HEIGHT - y - h];
    const expected = {
      90: { x: bottom, y: x, w: h, h: w },
      180: { x: right, y: bottom, w, h },
      270: { x: y, y: right, w: h, h: w },
    }[turn];
    for (const side of ['x', 'y', 'w', 'h'] as const) expect(Math.abs(box[side] - expected[side])).toBeLessThan(1);
  },
);

it('a stamp upside down on an upright page reads forwards, and so does the page', async () => {
  const { words } = await read(await textPage(0, 'Received by the court in May'));
  expect(words).toBe(`${lines.join(' ')} Received by the court in May`);
});

it.each([90, 180] as const)('a scan that lies turned by %i degrees is read as it would be turned', async (turn) => {
  const image = await renderPage(await textPage(0), 1, 150);
  const file = await drawPdf(`scan-${turn}.pdf`, async (pdf, page) => {
    page.drawImage(await pdf.embedPng(image), { x: 0, y: 0, width: WIDTH, height: HEIGHT });
    page.setRotation(degrees(turn));
  });
  const { words, fate, ocrConfidence, width, blocks, reads } = await read(file);
  expect([fate, width]).toEqual(['ocr', turn === 180 ? WIDTH : HEIGHT]);
  // Each reading is a sign of activity: one alone may take as long as a page is given.
  expect(reads).toBe(turn === 180 ? 2 : 3);
  expect(words).toContain('Rule number 8 keeps record 17 for 9 years.');
  expect(ocrConfidence).toBeGreaterThan(0.85);
  // The text is at the top of the page as it was scanned.
  const { x = 0, y = 0 } = blocks[0]?.box ?? {};
  expect({ 90: x > HEIGHT / 2, 180: y > HEIGHT / 2 }[turn]).toBe(true);
});

it.each(turns)(
  'a scan of one word, in which the OCR sees nothing while it lies turned by %i degrees, is no empty page',
  async (turn) => {
    const upright = await drawPdf('one-word.pdf', async (pdf, page) => {
      page.drawText('viii', { x: 60, y: 700, size: 11, font: await pdf.embedFont(StandardFonts.Helvetica) });
    });
    const image = await renderPage(upright, 1, 150);
    const file = await drawPdf(`one-word-${turn}.pdf`, async (pdf, page) => {
      page.drawImage(await pdf.embedPng(image), { x: 0, y: 0, width: WIDTH, height: HEIGHT });
      page.setRotation(degrees(turn));
    });
    expect(await read(file)).toMatchObject({ fate: 'ocr', words: 'viii' });
  },
);

it('a language whose data is missing is said: nothing is fetched, and the page is not called empty', async () => {
  const image = await renderPage(await textPage(0), 1, 60);
  const file = await drawPdf('foreign.pdf', async (pdf, page) =>
    page.drawImage(await pdf.embedPng(image), { x: 0, y: 0, width: WIDTH, height: HEIGHT }),
  );
  expect(await read(file, 'eng+xyz')).toMatchObject({
    fate: 'rejected',
    reason: 'OCR failed: xyz.traineddata is not in OCR_DATA_PATH',
  });
});

it('a page is turned as three quarters of its letters are', () => {
  const item = (text: string, rotation?: number) => ({ text, rotation });
  expect(turnOf([])).toBe(0);
  expect(turnOf([item('upright text'), item('down', 90)])).toBe(0);
  expect(turnOf([item('head'), item('most of all its text', 179.9)])).toBe(180);
  expect(turnOf([item('upright text'), item('more text on its side', 90)])).toBe(0);
  expect(turnOf([item('aslant and long', 45), item('up', 270)])).toBe(0);
  expect(turnOf([item('almost upright', 359.5), item('down', 90)])).toBe(0);
});
