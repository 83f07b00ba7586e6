// Defects in how a file is written rather than in what it says: delimiters, quotes, line ends, encodings, single broken rows.
import type { Random } from '../../chaos/random.ts';
import type { Defect } from './defects.ts';
import { type Document, type Writing, writeLine } from './document.ts';

const set = (name: string, layer: Defect['layer'], writing: Partial<Writing>, weight = 1): Defect => ({
  name,
  layer,
  weight,
  apply: (document) => void Object.assign(document.writing, writing),
});

export const dialectDefects: readonly Defect[] = [
  set('semicolons', 'dialect', { delimiter: ';' }, 3),
  set('tabs', 'dialect', { delimiter: '\t' }, 3),
  set('bars', 'dialect', { delimiter: '|' }),
  set('carets', 'dialect', { delimiter: '^' }),
  set('tildes', 'dialect', { delimiter: '~' }),
  set('unit-separators', 'dialect', { delimiter: '\x1f' }),
  set('blanks', 'dialect', { delimiter: ' ' }),
  set('comma-and-blank', 'dialect', { delimiter: ', ' }),
  set('single-quotes', 'dialect', { quote: "'", quoting: 'text' }),
  set('single-quotes-around-apostrophes', 'dialect', { quote: "'", quoting: 'text', escape: 'none' }),
  set('backslash-escapes', 'dialect', { escape: 'backslash' }),
  set('everything-quoted', 'dialect', { quoting: 'all' }, 2),
  set('text-quoted', 'dialect', { quoting: 'text' }, 2),
  { name: 'runs-of-blanks', layer: 'dialect', apply: alignColumns },
];

/** Fixed columns, as reports for printers have them; no cell holds a blank of its own or is empty. */
function alignColumns(document: Document): void {
  const solid = (cell: string) => cell.replaceAll(' ', '_') || 'none';
  const rows = document.table.rows.map((row) => row.map(solid));
  document.table = { ...document.table, names: document.table.names.map(solid), rows };
  document.headers = document.headers.map((names) => names.map(solid));
  document.header = document.header.map((line) => ({ cells: (line.cells ?? []).map(solid) }));
  document.data = rows.map((cells) => ({ cells }));
  Object.assign(document.writing, { delimiter: ' ', isPadded: true });
}

export const lineDefects: readonly Defect[] = [
  set('lf', 'lines', { lineEnd: '\n' }, 4),
  set('cr', 'lines', { lineEnd: '\r' }),
  set('no-break-at-the-end', 'lines', { endsWithBreak: false }, 2),
  {
    name: 'two-breaks-at-the-end',
    layer: 'lines',
    apply: (document) => void document.bottom.push({ cells: null, raw: '' }),
  },
];

const script = (name: string, encoding: string, words: readonly string[], bom = false): Defect => ({
  name,
  layer: 'encoding',
  apply(document, random) {
    const { numeric } = document.table;
    const rows = document.table.rows.map((row) =>
      row.map((cell, column) => {
        if (numeric.includes(column) || cell === '') return keepAscii(cell);
        return random.chance(0.6) ? `${random.pick(words)} ${random.pick(words)}` : keepAscii(cell);
      }),
    );
    const names = document.table.names.map(keepAscii);
    document.table = { ...document.table, names, rows };
    document.headers = document.headers.map((each) => each.map(keepAscii));
    document.header = document.header.map((line) => ({ ...line, cells: (line.cells ?? []).map(keepAscii) }));
    document.data = rows.map((cells) => ({ cells }));
    Object.assign(document.writing, { encoding, bom });
  },
});

const keepAscii = (text: string) => text.normalize('NFD').replace(/\P{ASCII}/gu, '');
const russian =
  'Москва|улица|договор|Иванов Пётр|область|решение суда|заявка принята|город Казань|Екатеринбург|сумма платежа'.split(
    '|',
  );
const greek = 'Αθήνα|Θεσσαλονίκη|οδός Ερμού|Παπαδόπουλος|δήμος|αριθμός|περιφέρεια Κρήτης'.split('|');
const japanese = '東京都|株式会社さくら|注文番号|カタログ|大阪市北区|お客様の名前|見積書'.split('|');
const korean = '서울특별시|주식회사|고객 이름|부산광역시|주문 번호|견적서입니다'.split('|');
const chinese = '北京市|有限公司|客户名称|订单编号|上海市浦东新区|发票金额'.split('|');
const traditional = '臺北市|有限公司|客戶名稱|訂單編號|高雄市苓雅區|發票金額'.split('|');
const western = 'Müller & Söhne|São Paulo|Besançon|Málaga|Ærøskøbing|Köln – Süd|naïve café|Straße'.split('|');
const central = 'Łódź|Kraków Śródmieście|Őrség|Plzeň|Žilina|Győr|České Budějovice|Częstochowa'.split('|');

export const encodingDefects: readonly Defect[] = [
  script('utf-8 with mark', 'utf-8', western, true),
  script('utf-8', 'utf-8', japanese),
  script('windows-1252', 'windows-1252', western),
  script('utf-16le with mark', 'utf-16le', western, true),
  script('utf-16le without mark', 'utf-16le', western),
  script('utf-16be with mark', 'utf-16be', russian, true),
  script('utf-32le with mark', 'utf-32le', russian, true),
  script('windows-1251', 'windows-1251', russian),
  script('koi8-r', 'koi8-r', russian),
  script('cp866', 'cp866', russian),
  script('iso-8859-7', 'iso-8859-7', greek),
  script('shift_jis', 'shift_jis', japanese),
  script('euc-kr', 'euc-kr', korean),
  script('gb18030', 'gb18030', chinese),
  script('big5', 'big5', traditional),
  script('windows-1250', 'windows-1250', central),
];

function breakRow(document: Document, random: Random, change: (text: string, delimiter: string) => string): void {
  const at = random.between(0, document.data.length - 1);
  const line = document.data[at];
  if (line === undefined || line.cells === null) return;
  document.data[at] = { cells: null, raw: change(writeLine(line, document.writing), document.writing.delimiter) };
}

export const rowDefects: readonly Defect[] = [
  {
    name: 'one-delimiter-more',
    layer: 'row',
    apply: (document, random) =>
      breakRow(document, random, (text, delimiter) => text.replace(delimiter, delimiter + delimiter)),
  },
  {
    name: 'one-delimiter-less',
    layer: 'row',
    apply: (document, random) => breakRow(document, random, (text, delimiter) => text.replace(delimiter, '')),
  },
  {
    name: 'one-quote-more',
    layer: 'row',
    apply: (document, random) =>
      breakRow(document, random, (text, delimiter) => text.replace(delimiter, `${delimiter}"`)),
  },
  {
    name: 'one-quote-inside',
    layer: 'row',
    apply: (document, random) =>
      breakRow(document, random, (text) => text.replace(/(?<=[a-z])[a-z]/, (letter) => `"${letter}`)),
  },
  {
    name: 'one-row-cut-off',
    layer: 'row',
    apply: (document, random) => breakRow(document, random, (text) => text.slice(0, text.length >> 1)),
  },
];
