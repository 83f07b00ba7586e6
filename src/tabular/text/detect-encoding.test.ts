import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { allRows, seededRandom } from '../../../test/support/tables.ts';
import { bytesSource } from '../byte-source.ts';
import { readTable } from '../read-table.ts';
import { detectEncoding } from './detect-encoding.ts';

const detect = (bytes: Uint8Array) => detectEncoding(bytesSource(bytes));

/** Small files, as a user's first export is. */
const samples: Readonly<Record<string, string>> = {
  'windows-1252':
    'Nom de la campagne;Jour;Coût;Montant dépensé (EUR)\nÉté – promo « spéciale »;05/01/2024;12,50 €;3\nCafé crème;06/01/2024;1;4\n',
  'windows-1250': 'Název kampaně;Den;Náklady\nŽluťoučký kůň;5.1.2024;12,50\nPříliš;6.1.2024;3\n',
  'iso-8859-2': 'Nazwa kampanii;Dzień;Koszt\nZażółć gęślą jaźń;5.1.2024;12,50\n',
  'windows-1251': 'Кампания;День;Расход\nЗимняя распродажа;05.01.2024;12,50\nЛето;06.01.2024;3\n',
  'koi8-r': 'Кампания;День;Расход\nЗимняя распродажа;05.01.2024;12,50\nЛето;06.01.2024;3\n',
  cp866: 'Кампания;День;Расход\nЗимняя распродажа;05.01.2024;12,50\nЛето;06.01.2024;3\n',
  cp855: 'Кампания;День;Расход\nЗимняя распродажа;05.01.2024;12,50\nЛето;06.01.2024;3\n',
  maccyrillic: 'Кампания;День;Расход\nЗимняя распродажа;05.01.2024;12,50\nЛето;06.01.2024;3\n',
  'windows-1253': 'Καμπάνια;Ημέρα;Κόστος\nΆνοιξη;05/01/2024;12,5\n',
  'windows-1254': 'Kampanya adı;Gün;Harcama\nİlkbahar indirimi;05.01.2024;12,50\nyaz şöleni ğ;6;1\n',
  shift_jis: 'キャンペーン名,日,費用\n春のキャンペーン,2024/01/05,1200\n夏セール,2024/01/06,300\n',
  'euc-jp': 'キャンペーン名,日,費用\n春のキャンペーン,2024/01/05,1200\n',
  gb18030: '广告系列,日期,费用\n春季促销,2024/01/05,1200\n夏季,2024/01/06,300\n',
  big5: '廣告活動,日期,費用\n春季促銷,2024/01/05,1200\n夏季,2024/01/06,300\n',
  'euc-kr': '캠페인,일,비용\n봄 프로모션,2024/01/05,1200\n여름,2024/01/06,300\n',
};

describe('encodings that say what they are', () => {
  it.each([
    ['utf-8', [0xef, 0xbb, 0xbf], Buffer.from('a,b\n')],
    ['utf-16le', [0xff, 0xfe], Buffer.from('a,b\n', 'utf16le')],
    ['utf-16be', [0xfe, 0xff], Buffer.from('a,b\n', 'utf16le').swap16()],
    ['utf-32le', [0xff, 0xfe, 0, 0], Buffer.from([97, 0, 0, 0])],
  ])('believes the byte order mark of %s', async (name, mark, text) => {
    const decision = await detect(Buffer.concat([Buffer.from(mark), text]));
    expect(decision).toMatchObject({ confidence: 'exact', value: { name, bomBytes: mark.length } });
  });

  it('takes ASCII and valid UTF-8 as UTF-8', async () => {
    expect(await detect(Buffer.from('a,b\n1,2\n'))).toMatchObject({
      confidence: 'exact',
      value: { name: 'utf-8', bomBytes: 0 },
    });
    expect(await detect(Buffer.from('näme,日本\n1,2\n'))).toMatchObject({
      confidence: 'exact',
      value: { name: 'utf-8' },
    });
  });

  it.each(['utf-16le', 'utf-16be'])('finds %s without a mark', async (name) => {
    expect((await detect(iconv.encode('Campaign\tCost\r\nÉté\t12\r\n', name, { addBOM: false }))).value.name).toBe(
      name,
    );
    expect((await detect(iconv.encode('名前,1,2\n日本語,3,4\n', name, { addBOM: false }))).value.name).toBe(name);
  });
});

describe('encodings that do not', () => {
  it.each(Object.entries(samples))('reads a small file in %s as it was written', async (name, text) => {
    const bytes = iconv.encode(text, name);
    const { value } = await detect(bytes);
    expect(iconv.decode(bytes, value.name)).toBe(text);
  });

  it('reads a single accent in an English file', async () => {
    const bytes = iconv.encode('Campaign,Day,Cost\nCafé,2024-01-05,12\nPlain,2024-01-05,12\n', 'windows-1252');
    const { value } = await detect(bytes);
    expect(iconv.decode(bytes, value.name)).toContain('Café');
  });

  it('looks on to the first accent when the file starts with megabytes of ASCII', async () => {
    const bytes = Buffer.concat([
      Buffer.from('name,cost\n'.repeat(100_000)),
      iconv.encode('Müller & Söhne GmbH für Bäder,1\n'.repeat(5), 'windows-1252'),
    ]);
    expect((await detect(bytes)).value.name).toBe('windows-1252');
  });

  it('keeps damaged UTF-8 as UTF-8 instead of misreading all of it', async () => {
    const good = 'Größe,Straße,Müller\n'.repeat(20);
    const decision = await detect(Buffer.concat([Buffer.from(good), Buffer.from([0xc3, 0x28, 10]), Buffer.from(good)]));
    expect(decision).toMatchObject({ confidence: 'likely', value: { name: 'utf-8' } });
    expect(decision.reason).toContain('1 damaged place');
  });

  it('does not mistake a character at the edge of the sample for damage', async () => {
    for (const shift of [0, 1, 2]) {
      const bytes = Buffer.from(`${'x'.repeat(shift)}${'日'.repeat(200_000)}`);
      expect(await detect(bytes)).toMatchObject({ confidence: 'exact', value: { name: 'utf-8' } });
    }
  });
});

describe('encodings that switch alphabets by escapes', () => {
  // "漢字" between the escapes to JIS X 0208 and back.
  const japanese = Buffer.from('name,n\n\x1b$B4A;z\x1b(B,1\nplain,2\n', 'latin1');

  it('reads ISO-2022-JP, which is made of ASCII bytes and is not ASCII', async () => {
    const { value, confidence } = await detect(japanese);
    expect([value.name, confidence]).toEqual(['iso-2022-jp', 'likely']);
    const table = await readTable(bytesSource(japanese));
    expect((await allRows(table.batches())).map((row) => row.cells)).toEqual([
      ['name', 'n'],
      ['漢字', '1'],
      ['plain', '2'],
    ]);
  });

  it('finds it far behind the start', async () => {
    const bytes = Buffer.concat([Buffer.from('name,n\n'.repeat(60_000)), japanese]);
    expect((await detect(bytes)).value.name).toBe('iso-2022-jp');
  });

  it('refuses those it cannot read by name', async () => {
    const korean = Buffer.from('\x1b$)Cname,n\n\x0e0!\x0f,1\n', 'latin1');
    await expect(detect(korean)).rejects.toMatchObject({ code: 'encoding_not_recognised', message: /ISO-2022-KR/ });
  });

  it('takes the colours of a terminal for ASCII', async () => {
    expect((await detect(Buffer.from('a,\x1b[31mred\x1b[0m\n1,2\n'))).value.name).toBe('utf-8');
  });
});

describe('UTF-32', () => {
  it.each([
    ['utf-32le', true],
    ['utf-32be', true],
    ['utf-32le', false],
    ['utf-32be', false],
  ])('%s is read (with a mark: %s)', async (name, addBOM) => {
    const bytes = iconv.encode('name,n\nЖук,1\nplain,2\n', name, { addBOM });
    const table = await readTable(bytesSource(bytes), { fileName: 'a.csv' });
    expect(table.reading.encoding.value).toEqual({ name, bomBytes: addBOM ? 4 : 0 });
    expect((await allRows(table.batches())).map((row) => row.cells)).toEqual([
      ['name', 'n'],
      ['Жук', '1'],
      ['plain', '2'],
    ]);
  });
});

describe('refusal', () => {
  it('keeps the encoding of a file with one byte that has no meaning, and refuses the row', async () => {
    const good = iconv.encode('Müller für Köln;Straße über Söhne;1\n'.repeat(60), 'windows-1252');
    const bytes = Buffer.concat([good, Buffer.from('M'), Buffer.from([0x81]), Buffer.from(';x;1\n'), good]);
    const table = await readTable(bytesSource(bytes));
    expect(table.reading.encoding.value.name).toBe('windows-1252');
    expect((await allRows(table.batches())).filter((row) => row.fault !== null)).toHaveLength(1);
  });

  it('refuses noise rather than storing mojibake', async () => {
    const random = seededRandom(3);
    const noise = Buffer.from(Array.from({ length: 4_000 }, () => 128 + Math.floor(random() * 128)));
    await expect(detect(noise)).rejects.toMatchObject({ code: 'encoding_not_recognised' });
  });

  it('says so when it had to guess between close answers', async () => {
    const decision = await detect(iconv.encode('Nom;Coût\nÉté;12,5\nForêt;3\n', 'windows-1252'));
    expect(decision).toMatchObject({ confidence: 'guess', value: { name: 'windows-1252' } });
  });

  it.each([1, 2, 3, 4, 5, 6])('never reads noise of seed %i mixed with letters as text', async (seed) => {
    const random = seededRandom(seed);
    const byte = () => (random() < 0.5 ? 65 + Math.floor(random() * 26) : 128 + Math.floor(random() * 128));
    const noise = Buffer.from(Array.from({ length: 2_000 }, byte));
    await expect(detect(noise)).rejects.toMatchObject({ code: 'encoding_not_recognised' });
  });
});

describe('texts in which little speaks for an encoding', () => {
  const rows = (count: number, cells: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => cells(i)).join('\r');
  const find = (text: string, encoding: string) => detectEncoding(bytesSource(iconv.encode(text, encoding)));

  it('blanks that group the digits of numbers are no letters of an old encoding', async () => {
    const text = `Jour;Coût;Impr.\r${rows(120, (i) => `2024-01-01;${i}\u00a0${100 + i},52;1\u00a0479`)}\r`;
    expect((await find(text, 'windows-1252')).value.name).toBe('windows-1252');
  });

  it('bytes of the West in pairs are no Chinese inside words, also where lines end with a return alone', async () => {
    const text = `Dia;Identificação da campanha;Impressões\r${rows(40, (i) => `2024-01-01;Brand;${i}`)}\r`;
    expect((await find(text, 'windows-1252')).value.name).toBe('windows-1252');
  });

  it('nor in a single line that is long', async () => {
    const cells = Array.from(
      { length: 112 },
      (_, i) => `2024-01-01T00:00:00||#summer||12021${i}||642.56||57381||583||1.50%`,
    );
    const text = `Dia||Nome da campanha||Identificação da campanha||Valor usado (BRL)||Impressões||Cliques (todos)||CTR||${cells.join('||')}\n`;
    const found = await find(text, 'windows-1252').catch(({ code }) => code);
    expect(found.value?.name ?? found).toMatch(/^(?:windows-1252|encoding_not_recognised)$/);
  });

  it('a sign inside a word is no letter', async () => {
    const found = await find('id,name\n1,hôtel\n2,hôtel\n3,hôtel\n', 'macroman').catch(({ code }) => code);
    expect(found.value?.name ?? found).not.toBe('windows-1252');
  });

  it.each([
    ['windows-1254', 'id,name\n1,şehir\n2,İstanbul\n3,öğrenci\n'],
    ['euc-jp', 'id,name\n1,検索広告\n2,表示回数\n'],
    ['windows-1250', 'id,name\n1,řeka\n2,řeka\n'],
  ])('few words are never more than a guess: %s', async (encoding, text) => {
    const found = await find(text, encoding).catch(({ code }) => code);
    expect(found.confidence ?? found).toMatch(/^(?:guess|encoding_not_recognised)$/);
  });
});
