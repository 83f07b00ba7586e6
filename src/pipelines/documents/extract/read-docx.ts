// DOCX: headings, paragraphs, lists, tables and notes by mammoth. It gets its parts from our archive, which counts what they unpack to, so that a bomb is
// refused before anything is built from it. Images, macros, embedded files and external references are left alone, and what is left out is said.
import { open } from 'node:fs/promises';
import mammoth from 'mammoth';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { defaultLimits } from '../../../tabular/limits.ts';
import { ZipArchive } from '../../../tabular/xlsx/zip-archive.ts';
import { count, leftOutOf, readableDocument, shownText, textOf } from './docx-parts.ts';
import { htmlBlocks } from './html-blocks.ts';
import { wordsMissing } from './page.ts';
import type { ReadDocument } from './read-html.ts';

const MAX_PART_BYTES = 64 * 1024 * 1024;

export async function readDocx(path: string): Promise<ReadDocument> {
  const file = await open(path);
  try {
    const zip = await ZipArchive.open(file, { ...defaultLimits.spreadsheet, maxInflatedBytes: MAX_PART_BYTES });
    return await readArchive(zip);
  } catch (error) {
    throw asDocumentError(error);
  } finally {
    await file.close();
  }
}

async function readArchive(zip: ZipArchive): Promise<ReadDocument> {
  const main = await mainPart(zip);
  if (!zip.has(main)) throw new MillraceError('document_damaged', { reason: 'it has no text part' });
  const document = await textOf(zip, main);
  const readable = readableDocument(document);
  const parts = {
    exists: (name: string) => zip.has(name),
    read: async (name: string) => (name === main ? readable : await textOf(zip, name)),
  };
  const { value } = await mammoth.convertToHtml({ file: parts } as never, {
    externalFileAccess: false,
    // An image without a source costs nothing and reads nothing.
    convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
    styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh"],
  });
  const html = numberNotes(value);
  const blocks = htmlBlocks(html);
  const missing = wordsMissing(shownText(document), blocks);
  return {
    blocks,
    notes: [
      ...(await broughtAlong(zip, main)),
      ...(await leftOutOf(zip, document)),
      ...(html.includes('<ol>') ? ['numbers of lists were left out'] : []),
      ...(missing > 0 ? [`text that could not be read was left out: ${count(missing)}`] : []),
    ],
  };
}

/** Foot and end notes come as the last list, each with an arrow back: they get the number by which the text names them. */
function numberNotes(html: string): string {
  let number = 0;
  return html
    .replace(/<ol>(?=<li id="(?:foot|end)note-)/g, '<ul>')
    .replace(/<li id="(?:foot|end)note-[^"]*">(?:<p>)?/g, () => `<li>[${++number}] `)
    .replace(/\s*<a href="#(?:foot|end)note-ref-[^"]*">↑<\/a>/g, '');
}

/** Most programs call it word/document.xml, and not all of them. */
async function mainPart(zip: ZipArchive): Promise<string> {
  const relations = zip.has('_rels/.rels') ? await textOf(zip, '_rels/.rels') : '';
  const [relation = ''] = /<Relationship\b[^>]*\/officeDocument"[^>]*>/.exec(relations) ?? [];
  return /\bTarget="\/?([^"]+)"/.exec(relation)?.[1] ?? 'word/document.xml';
}

async function broughtAlong(zip: ZipArchive, main: string): Promise<string[]> {
  const at = main.lastIndexOf('/') + 1;
  const name = `${main.slice(0, at)}_rels/${main.slice(at)}.rels`;
  const relations = zip.has(name) ? await textOf(zip, name) : '';
  return [
    ...(zip.has('word/vbaProject.bin') ? ['macros were ignored'] : []),
    ...(/\/(?:oleObject|package)"/.test(relations) ? ['embedded files were ignored'] : []),
    ...(/TargetMode="External"/.test(relations) ? ['external references were not fetched'] : []),
    ...(/\/image"/.test(relations) ? ['images were left out'] : []),
  ];
}

/** The archive speaks of spreadsheets. */
function asDocumentError(error: unknown): MillraceError {
  if (error instanceof RangeError)
    return new MillraceError('document_too_complex', { reason: 'its parts are nested too deep' }, { cause: error });
  if (!(error instanceof MillraceError))
    return new MillraceError('document_damaged', { reason: reasonOf(error) }, { cause: error });
  if (error.code === 'spreadsheet_encrypted') return new MillraceError('document_encrypted');
  if (error.code === 'spreadsheet_too_large')
    return new MillraceError('document_too_complex', { reason: reasonOf(error) }, { cause: error });
  if (error.code.startsWith('spreadsheet_'))
    return new MillraceError('document_damaged', { reason: reasonOf(error) }, { cause: error });
  return error;
}

function reasonOf(error: unknown): string {
  if (error instanceof MillraceError && typeof error.params?.reason === 'string') return error.params.reason;
  const said = (error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, 200) ?? 'unknown';
  // Its parts are XML, and its reader names itself first.
  return said.replace(/^(?:error: )?\[xmldom \w+\]\s*/, 'its XML is wrong: ');
}
