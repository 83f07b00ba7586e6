// The parts of a workbook around its sheets: which sheets there are and where, the calendar in use, the number formats of cells.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { type CellFormat, describeFormat } from './cell-format.ts';
import { attributeOf, XmlEvents, type XmlHandler } from './xml-events.ts';
import type { ZipArchive } from './zip-archive.ts';

const MAX_PART_BYTES = 32 * 1024 * 1024;

export interface Workbook {
  readonly sheets: readonly { readonly name: string; readonly path: string; readonly isHidden: boolean }[];
  /** Days count from 1904-01-01 instead of 1899-12-30. */
  readonly isFrom1904: boolean;
  /** By the style number of a cell. */
  readonly formats: readonly CellFormat[];
  readonly sharedStringsPath: string | null;
}

export async function readWorkbook(zip: ZipArchive): Promise<Workbook> {
  const path = await findWorkbook(zip);
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const links = await readLinks(zip, `${folder}_rels/${path.slice(folder.length)}.rels`, folder);
  const { sheets, isFrom1904 } = await readSheets(zip, path);
  const byType = (type: string) => [...links.values()].find((link) => link.type === type)?.path ?? null;
  const styles = byType('styles');
  return {
    sheets: sheets.flatMap(({ link, ...sheet }) => {
      const target = links.get(link);
      return target?.type === 'worksheet' ? [{ ...sheet, path: target.path }] : [];
    }),
    isFrom1904,
    formats: styles === null || !zip.has(styles) ? [] : await readFormats(zip, styles),
    sharedStringsPath: byType('sharedStrings') ?? unlinkedStrings(zip, folder),
  };
}

/** Some programs write the texts and forget to link them. */
function unlinkedStrings(zip: ZipArchive, folder: string): string | null {
  const path = `${folder}sharedStrings.xml`;
  return zip.has(path) ? path : null;
}

async function findWorkbook(zip: ZipArchive): Promise<string> {
  if (zip.has('xl/workbook.bin')) throw new MillraceError('spreadsheet_xlsb');
  if (!zip.has('_rels/.rels')) {
    if (zip.has('xl/workbook.xml')) return 'xl/workbook.xml';
    throw new MillraceError('format_unsupported', { found: 'a zip archive that is not a workbook' });
  }
  const links = await readLinks(zip, '_rels/.rels', '');
  const path = [...links.values()].find((link) => link.type === 'officeDocument')?.path ?? '';
  if (/\.bin$/i.test(path)) throw new MillraceError('spreadsheet_xlsb');
  if (!/\.xml$/i.test(path) || !zip.has(path) || /^(word|ppt)\//i.test(path)) {
    throw new MillraceError('format_unsupported', { found: 'a zip archive that is not a workbook' });
  }
  return path;
}

async function readLinks(
  zip: ZipArchive,
  path: string,
  folder: string,
): Promise<Map<string, { type: string; path: string }>> {
  const links = new Map<string, { type: string; path: string }>();
  if (!zip.has(path)) return links;
  await readXml(zip, path, {
    open: (name, attributes) => {
      if (name !== 'Relationship' || attributeOf(attributes, 'TargetMode') === 'External') return;
      const type = attributeOf(attributes, 'Type')?.split('/').at(-1) ?? '';
      links.set(attributeOf(attributes, 'Id') ?? '', {
        type,
        path: resolve(folder, attributeOf(attributes, 'Target') ?? ''),
      });
    },
  });
  return links;
}

async function readSheets(zip: ZipArchive, path: string) {
  const sheets: { name: string; link: string; isHidden: boolean }[] = [];
  let isFrom1904 = false;
  await readXml(zip, path, {
    open: (name, attributes) => {
      if (name === 'workbookPr') isFrom1904 = /^(1|true)$/.test(attributeOf(attributes, 'date1904') ?? '');
      if (name !== 'sheet') return;
      sheets.push({
        name: attributeOf(attributes, 'name') ?? '',
        link: attributeOf(attributes, 'id') ?? '',
        isHidden: /hidden/i.test(attributeOf(attributes, 'state') ?? ''),
      });
    },
  });
  return { sheets, isFrom1904 };
}

async function readFormats(zip: ZipArchive, path: string): Promise<CellFormat[]> {
  const custom = new Map<number, string>();
  const formats: CellFormat[] = [];
  let isInCellFormats = false;
  await readXml(zip, path, {
    open: (name, attributes) => {
      if (name === 'cellXfs') isInCellFormats = true;
      else if (name === 'numFmt') {
        custom.set(Number(attributeOf(attributes, 'numFmtId')), attributeOf(attributes, 'formatCode') ?? '');
      } else if (name === 'xf' && isInCellFormats) {
        const id = Number(attributeOf(attributes, 'numFmtId') ?? '0');
        formats.push(describeFormat(id, custom.get(id)));
      }
    },
    close: (name) => {
      if (name === 'cellXfs') isInCellFormats = false;
    },
  });
  return formats;
}

async function readXml(zip: ZipArchive, path: string, handler: XmlHandler): Promise<void> {
  const events = new XmlEvents(handler);
  events.write(Buffer.from(await zip.readText(path, MAX_PART_BYTES)));
  events.end();
}

function resolve(folder: string, target: string): string {
  if (target.startsWith('/')) return target.slice(1);
  const parts = folder.split('/').filter((part) => part !== '');
  for (const part of target.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
