// Word documents and zip archives written by hand: small, and as wrong as a test wants them.
import { crc32 } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly data: Uint8Array;
  readonly isDeflated?: boolean;
  /** What the archive says it unpacks to; default: its length. */
  readonly size?: number;
}

export function buildZip(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data, isDeflated = false, size = data.length } of entries) {
    const title = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(isDeflated ? 8 : 0, 4);
    fields.writeUInt32LE(isDeflated ? 0 : crc32(data), 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(size, 18);
    fields.writeUInt16LE(title.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, title, data]);
    const head = Buffer.alloc(42);
    head.writeUInt16LE(20, 0);
    fields.copy(head, 2, 0, 24);
    head.writeUInt32LE(offset, 38);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), head, title]));
    locals.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, listed, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

export interface DocxBlock {
  readonly heading?: number;
  readonly list?: boolean;
  readonly text?: string;
  readonly table?: readonly (readonly string[])[];
}

export function buildDocx(blocks: readonly DocxBlock[]): Buffer {
  const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`;
  const relations = (body: string) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${body}</Relationships>`;
  const part = (name: string, xml: string): ZipEntry => ({
    name,
    data: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${xml}`),
  });
  const override = (name: string, type: string) => `<Override PartName="${name}" ContentType="${word}.${type}+xml"/>`;
  return buildZip([
    part(
      '[Content_Types].xml',
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
       <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
       ${override('/word/document.xml', 'document.main')}${override('/word/styles.xml', 'styles')}${override('/word/numbering.xml', 'numbering')}</Types>`,
    ),
    part('_rels/.rels', relations(relation('r1', 'officeDocument', 'word/document.xml'))),
    part(
      'word/_rels/document.xml.rels',
      relations(relation('r1', 'styles', 'styles.xml') + relation('r2', 'numbering', 'numbering.xml')),
    ),
    part(
      'word/styles.xml',
      `<w:styles ${w}>${[1, 2, 3].map((level) => `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`).join('')}</w:styles>`,
    ),
    part(
      'word/numbering.xml',
      `<w:numbering ${w}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
       <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
    ),
    part('word/document.xml', `<w:document ${w}><w:body>${blocks.map(blockXml).join('')}</w:body></w:document>`),
  ]);
}

function blockXml({ heading, list, text = '', table }: DocxBlock): string {
  if (table !== undefined)
    return `<w:tbl>${table.map((row) => `<w:tr>${row.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`).join('')}</w:tbl>`;
  if (heading !== undefined) return paragraph(text, `<w:pStyle w:val="Heading${heading}"/>`);
  return paragraph(text, list ? '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>' : '');
}

function paragraph(text: string, properties = ''): string {
  const escaped = text.replace(/[<&>]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${escaped}</w:t></w:r></w:p>`;
}
