// DOCX: headings, paragraphs, lists and tables by mammoth. The archive is unpacked and counted first, so that a bomb is refused before
// anything is built from it. Images, macros, embedded files and external references are left alone.
import { open, readFile } from 'node:fs/promises';
import mammoth from 'mammoth';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { defaultLimits } from '../../../tabular/limits.ts';
import { ZipArchive } from '../../../tabular/xlsx/zip-archive.ts';
import { htmlBlocks } from './html-blocks.ts';
import type { ReadDocument } from './read-html.ts';

const MAX_PART_BYTES = 64 * 1024 * 1024;
const parts = ['word/document.xml', 'word/styles.xml', 'word/numbering.xml', 'word/footnotes.xml', 'word/endnotes.xml'];

export async function readDocx(path: string): Promise<ReadDocument> {
  const notes = await inspect(path);
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer: await readFile(path) },
      {
        externalFileAccess: false,
        // An image without a source costs nothing and reads nothing.
        convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
        styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh"],
      },
    );
    return { blocks: htmlBlocks(value), notes };
  } catch (error) {
    throw new MillraceError('document_damaged', { reason: reasonOf(error) }, { cause: error });
  }
}

async function inspect(path: string): Promise<string[]> {
  const file = await open(path);
  try {
    const zip = await ZipArchive.open(file, { ...defaultLimits.spreadsheet, maxInflatedBytes: MAX_PART_BYTES });
    if (!zip.has('word/document.xml')) throw new MillraceError('document_damaged', { reason: 'it has no text part' });
    for (const part of parts) if (zip.has(part)) for await (const _ of zip.read(part));
    const relations = zip.has('word/_rels/document.xml.rels') ? await textOf(zip, 'word/_rels/document.xml.rels') : '';
    return [
      ...(zip.has('word/vbaProject.bin') ? ['macros were ignored'] : []),
      ...(/\/(?:oleObject|package)"/.test(relations) ? ['embedded files were ignored'] : []),
      ...(/TargetMode="External"/.test(relations) ? ['external references were not fetched'] : []),
      ...(/\/image"/.test(relations) ? ['images were left out'] : []),
    ];
  } catch (error) {
    throw asDocumentError(error);
  } finally {
    await file.close();
  }
}

async function textOf(zip: ZipArchive, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of zip.read(name)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** The archive speaks of spreadsheets. */
function asDocumentError(error: unknown): unknown {
  if (!(error instanceof MillraceError)) return error;
  if (error.code === 'spreadsheet_encrypted') return new MillraceError('document_encrypted');
  if (error.code === 'spreadsheet_too_large')
    return new MillraceError('document_too_complex', { reason: reasonOf(error) }, { cause: error });
  if (error.code.startsWith('spreadsheet_'))
    return new MillraceError('document_damaged', { reason: reasonOf(error) }, { cause: error });
  return error;
}

function reasonOf(error: unknown): string {
  if (error instanceof MillraceError && typeof error.params?.reason === 'string') return error.params.reason;
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, 200) ?? 'unknown';
}
