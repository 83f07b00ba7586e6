// PDF files made on the spot. Free of vitest.
import { PDFDocument, type PDFFont, type PDFPage, StandardFonts } from 'pdf-lib';
import { writePdf } from '../../src/pipelines/documents/extract/write-pdf.ts';

export interface PageSpec {
  readonly heading?: string;
  readonly lines?: readonly string[];
  readonly table?: readonly (readonly string[])[];
  /** A PNG that fills the page. */
  readonly image?: Uint8Array;
}

export async function buildPdf(pages: readonly PageSpec[]): Promise<Uint8Array> {
  const pdf = await PDFDocument.create();
  pdf.setCreationDate(new Date(0));
  pdf.setModificationDate(new Date(0));
  const fonts = {
    plain: await pdf.embedFont(StandardFonts.Helvetica),
    bold: await pdf.embedFont(StandardFonts.HelveticaBold),
  };
  for (const spec of pages) {
    const page = pdf.addPage([595, 842]);
    if (spec.image !== undefined)
      page.drawImage(await pdf.embedPng(spec.image), { x: 0, y: 0, width: 595, height: 842 });
    drawPage(page, fonts, spec);
  }
  return pdf.save();
}

function drawPage(
  page: PDFPage,
  fonts: { plain: PDFFont; bold: PDFFont },
  { heading, lines = [], table = [] }: PageSpec,
): void {
  let y = 780;
  if (heading !== undefined) page.drawText(heading, { x: 50, y, size: 22, font: fonts.bold });
  y -= 40;
  for (const line of lines) {
    page.drawText(line, { x: 50, y, size: 11, font: fonts.plain });
    y -= 16;
  }
  y -= 20;
  for (const row of table) {
    for (const [index, cell] of row.entries())
      page.drawText(cell, { x: 50 + index * 130, y, size: 11, font: fonts.plain });
    y -= 18;
  }
}

/** Sentences that no two pages share, so that each page can be told from its text. */
export function prose(page: number, sentences = 10): string[] {
  return Array.from(
    { length: sentences },
    (_, at) =>
      `On page ${page} rule number ${at + 1} says that staff keep record ${page * 100 + at} for ${at + 2} years.`,
  );
}

/** A PDF written by hand: its objects from 1 on, the first of them the catalog. */
export const rawPdf = writePdf;

/** Pages of a hand-written PDF by their content streams; /F1 is Helvetica, or the object `font` names. `catalog` adds to the catalog. */
export function rawPages(
  contents: readonly { readonly dict: string; readonly bytes: Uint8Array; readonly font?: string }[],
  { catalog = '', more = [] }: { catalog?: string; more?: Parameters<typeof rawPdf>[0] } = {},
): Buffer {
  const first = 4;
  const kids = contents.map((_, at) => `${first + at * 2} 0 R`).join(' ');
  const pages = contents.flatMap((content, at) => [
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 ${content.font ?? '3 0 R'} >> >> /Contents ${first + at * 2 + 1} 0 R >>`,
    content,
  ]);
  return rawPdf([
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`,
    `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>`,
    ...pages,
    ...more,
  ]);
}

/** The content stream of a page with these lines. */
export function textContent(lines: readonly string[]): { dict: string; bytes: Uint8Array } {
  const drawn = lines.map((line, at) => `1 0 0 1 50 ${780 - at * 18} Tm (${line}) Tj`).join('\n');
  return { dict: '', bytes: Buffer.from(`BT /F1 11 Tf\n${drawn}\nET`, 'latin1') };
}
