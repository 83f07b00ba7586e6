// Workbooks for tests, part by part, so that every part can be wrong: sizes that lie, parts that overlap, bombs.
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipPart {
  readonly name: string;
  readonly content: string | Buffer;
  /** Already deflated content, with the checksum of what it unpacks to. */
  readonly packed?: { readonly bytes: Buffer; readonly crc: number };
  /** General purpose flags; 1 is "encrypted". */
  readonly flags?: number;
  readonly method?: number;
  /** What the directory claims the part unpacks to. */
  readonly claimedSize?: number;
  readonly crc?: number;
}

export function buildZip(parts: readonly ZipPart[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const content = Buffer.from(part.content);
    const packed = part.packed?.bytes ?? (part.method === 0 ? content : deflateRawSync(content));
    const crc = part.crc ?? part.packed?.crc ?? crc32(content);
    const name = Buffer.from(part.name);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(part.flags ?? 0, 6);
    header.writeUInt16LE(part.method ?? 8, 8);
    header.writeUInt32LE(crc, 14);
    header.writeUInt32LE(packed.length, 18);
    header.writeUInt32LE(part.claimedSize ?? content.length, 22);
    header.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(part.flags ?? 0, 8);
    entry.writeUInt16LE(part.method ?? 8, 10);
    entry.writeUInt32LE(crc, 16);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(part.claimedSize ?? content.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    locals.push(header, name, packed);
    directory.push(entry, name);
    offset += header.length + name.length + packed.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(listing.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, listing, end]);
}

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export interface WorkbookParts {
  /** What stands between <sheetData> and </sheetData>. */
  readonly rows?: string;
  readonly sheet?: string;
  readonly sharedStrings?: string;
  readonly styles?: string;
  readonly workbook?: string;
  readonly replace?: Readonly<Record<string, Partial<ZipPart>>>;
  readonly extra?: readonly ZipPart[];
}

/** A workbook of one sheet named Data, with any of its parts replaced. */
export function buildWorkbook(parts: WorkbookParts): Buffer {
  const entries: ZipPart[] = [
    { name: '[Content_Types].xml', content: '<Types/>' },
    {
      name: '_rels/.rels',
      content: `<Relationships><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      content: parts.workbook ?? '<workbook><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>',
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: `<Relationships><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId3" Type="${office}/styles" Target="/xl/styles.xml"/></Relationships>`,
    },
    {
      name: 'xl/worksheets/sheet1.xml',
      content: parts.sheet ?? `<worksheet><sheetData>${parts.rows ?? ''}</sheetData></worksheet>`,
    },
    { name: 'xl/sharedStrings.xml', content: parts.sharedStrings ?? '<sst/>' },
    { name: 'xl/styles.xml', content: parts.styles ?? '<styleSheet/>' },
    ...(parts.extra ?? []),
  ];
  return buildZip(entries.map((entry) => ({ ...entry, ...parts.replace?.[entry.name] })));
}

/** `<styleSheet>` with one cell format per code; style 0 is General. */
export function stylesWith(...codes: string[]): string {
  const formats = codes.map(
    (code, i) =>
      `<numFmt numFmtId="${164 + i}" formatCode="${code.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"/>`,
  );
  const cells = codes.map((_, i) => `<xf numFmtId="${164 + i}" applyNumberFormat="1"/>`);
  return `<styleSheet><numFmts>${formats.join('')}</numFmts><cellXfs><xf numFmtId="0"/>${cells.join('')}</cellXfs></styleSheet>`;
}
