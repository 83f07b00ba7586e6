// PDF files made on the spot. Free of vitest and of the product.
import { PDFDocument, type PDFFont, type PDFPage, StandardFonts } from 'pdf-lib';

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

/** A PDF written by hand: its objects from 1 on, the first of them the catalog. A stream is its dictionary and its bytes. */
export function rawPdf(
  objects: readonly (string | { readonly dict: string; readonly bytes: Uint8Array })[],
  trailer = '',
): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n', 'latin1')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const write = (part: string | Uint8Array) => {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part);
    parts.push(bytes);
    length += bytes.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    write(`${index + 1} 0 obj\n`);
    if (typeof object === 'string') write(object);
    else {
      write(`<< ${object.dict} /Length ${object.bytes.length} >>\nstream\n`);
      write(object.bytes);
      write('\nendstream');
    }
    write('\nendobj\n');
  }
  const xref = length;
  write(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`);
  for (const at of offsets) write(`${String(at).padStart(10, '0')} 00000 n \n`);
  write(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${xref}\n%%EOF\n`);
  return Buffer.concat(parts);
}

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
