// The parts of a Word document as mammoth is given them. It reads what it knows and leaves out the rest silently: fields, text that is set in one
// direction, ruby, formulas and text boxes of newer programs. Their text is put here into elements it knows; what stays out is counted and said.
import type { ZipArchive } from '../../../tabular/xlsx/zip-archive.ts';
import { wordsOf } from './page.ts';

/** Elements that only surround runs. */
const wrappers = /<\/?w:(?:fldSimple|dir|bdo|rubyBase)(?:\s[^>]*)?>/g;
const rubies =
  /<w:ruby(?:\s[^>]*)?>|<\/w:ruby>|<w:rt(?:\s[^>]*)?>[\s\S]*?<\/w:rt>|<w:rubyPr(?:\s[^>]*)?>[\s\S]*?<\/w:rubyPr>/g;
const formulas = /<m:oMath(?:\s[^>]*)?>([\s\S]*?)<\/m:oMath>/g;
const alternatives = /<mc:AlternateContent(?:\s[^>]*)?>([\s\S]*?)<\/mc:AlternateContent>/g;
const drawings = /<w:drawing(?:\s[^>]*)?>([\s\S]*?)<\/w:drawing>/g;
/** Shapes of older programs; mammoth knows a few of them. */
const shapes = /(<\/?v:)(?:oval|line|polyline|arc|curve)(?=[\s>/])/g;
/** Letters as a drawing. */
const drawnText = /<v:textpath\b[^>]*?\sstring="([^"]*)"[^>]*?(?:\/>|><\/v:textpath>)/g;
const textBoxes = /<w:txbxContent(?:\s[^>]*)?>[\s\S]*?<\/w:txbxContent>/g;

export function readableDocument(xml: string): string {
  return xml
    .replace(alternatives, (_, inside: string) => fallbackOf(inside) ?? boxesOf(inside))
    .replace(drawings, (whole, inside: string) => (inside.includes('<w:txbxContent') ? boxesOf(inside) : whole))
    .replace(shapes, '$1shape')
    .replace(
      drawnText,
      (_, text: string) =>
        `<v:textbox><w:txbxContent><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:txbxContent></v:textbox>`,
    )
    .replace(formulas, (_, inside: string) => formulaRun(inside))
    .replace(/<\/?m:oMathPara(?:\s[^>]*)?>/g, '')
    .replace(rubies, '')
    .replace(wrappers, '');
}

function fallbackOf(inside: string): string | undefined {
  return /<mc:Fallback(?:\s[^>]*)?>([\s\S]*?)<\/mc:Fallback>/.exec(inside)?.[1];
}

/** A drawing without a picture for older programs: the text of its boxes, as older programs had it. */
function boxesOf(inside: string): string {
  const boxes = inside.match(textBoxes) ?? [];
  return boxes.map((box) => `<w:pict><v:shape><v:textbox>${box}</v:textbox></v:shape></w:pict>`).join('');
}

function formulaRun(inside: string): string {
  const text = [...inside.matchAll(/<m:t(?:\s[^>]*)?>([^<]*)<\/m:t>/g)].map(([, each = '']) => each).join(' ');
  return text === '' ? '' : `<w:r><w:t xml:space="preserve"> ${text} </w:t></w:r>`;
}

/** What a reader of the document sees, or could see, and does not get. */
export async function leftOutOf(zip: ZipArchive, document: string): Promise<string[]> {
  const words = async (pattern: RegExp) => {
    let found = 0;
    for (const name of zip.names) if (pattern.test(name)) found += wordCount(shownText(await textOf(zip, name)));
    return found;
  };
  const margins = await words(/^word\/(?:header|footer)\d*\.xml$/);
  const comments = await words(/^word\/comments\.xml$/);
  const drawn = await words(/^word\/(?:charts\/chart|diagrams\/data)\d*\.xml$/);
  const deleted = wordCount(
    [...document.matchAll(/<w:delText(?:\s[^>]*)?>([^<]*)</g)].map(([, each]) => each).join(' '),
  );
  return [
    ...(margins > 0 ? [`headers and footers were left out: ${count(margins)}`] : []),
    ...(comments > 0 ? [`comments were left out: ${count(comments)}`] : []),
    ...(deleted > 0 ? [`tracked changes were read as accepted, without what they delete: ${count(deleted)}`] : []),
    ...(drawn > 0 ? [`charts and diagrams were left out: ${count(drawn)}`] : []),
    ...(/<w:altChunk\b/.test(document) ? ['parts in other formats were left out'] : []),
  ];
}

/** Everything that a part shows: its text without what was deleted or is repeated for older programs. */
export function shownText(xml: string): string {
  const shown = xml
    .replace(/<mc:Fallback(?:\s[^>]*)?>[\s\S]*?<\/mc:Fallback>/g, '')
    .replace(/<w:(?:del|moveFrom)\s[^>]*[^/]>[\s\S]*?<\/w:(?:del|moveFrom)>/g, '')
    .replace(/<w:rt(?:\s[^>]*)?>[\s\S]*?<\/w:rt>/g, '')
    .replace(/<w:(?:tab|br|cr|noBreakHyphen)\b[^>]*\/>|<\/(?:w:p|m:t|m:oMath|a:p|c:pt|c:tx)>|<m:oMath>/g, BREAK);
  const pieces = shown.matchAll(/<(?:[wma]:t|c:v)(?:\s[^>]*)?>([^<]*)|<_>/g);
  return decode([...pieces].map(([, text]) => text ?? ' ').join('')).replaceAll('\u00AD', '');
}

/** An element that no document has. */
const BREAK = '<_>';
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decode(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name = '') => {
      if (hex === undefined && decimal === undefined) return named[name] ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

function wordCount(text: string): number {
  return wordsOf(text).length;
}

export function count(words: number): string {
  return `${words} word${words === 1 ? '' : 's'}`;
}

export async function textOf(zip: ZipArchive, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of zip.read(name)) chunks.push(chunk);
  return withoutSections(decodeXml(Buffer.concat(chunks)));
}

/** XML is UTF-8, or UTF-16 with a mark at its beginning. */
function decodeXml(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return bytes.toString('utf8');
}

/** Text may also stand in sections of its own, of which mammoth knows nothing. */
function withoutSections(xml: string): string {
  return xml.replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_, text: string) =>
    text.replace(/&/g, '&amp;').replace(/</g, '&lt;'),
  );
}
