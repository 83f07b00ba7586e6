// Every format, and everything a file can do wrong. A bad file is refused with its code or ends its run with it; nothing of it is kept.

import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { buildPdf, prose, useDocuments } from '../../../test/support/documents.ts';
import { buildDocx, buildZip } from '../../../test/support/docx.ts';
import { waitFor } from '../../../test/support/wait-for.ts';

const bench = useDocuments({ limits: { maxMemoryMb: 400, timeoutMs: 600_000 } });
const { api } = bench;
const sentence =
  'The committee met on Tuesday and decided that the budget for the next year is not to be changed in any way. ';

const page = async (docId: string, pageNo = 1) =>
  (
    await api.call('documents.page', {
      as: bench.admin,
      params: { doc_id: docId, version: '1', page_no: String(pageNo) },
    })
  ).json();
const version = async (docId: string) =>
  (await api.call('documents.show', { as: bench.admin, params: { doc_id: docId } })).json().versions[0];

describe('formats without pages', () => {
  it('DOCX: headings, lists and tables become blocks of numbered sections with offsets', async () => {
    const { docId, run } = await bench.ingest(
      buildDocx([
        { heading: 1, text: 'Travel rules' },
        { text: sentence.repeat(8) },
        { list: true, text: 'Book early' },
        {
          table: [
            ['Class', 'Limit'],
            ['Economy', '500'],
          ],
        },
        { heading: 1, text: 'Refunds' },
        { text: `Refunds take ten days. ${sentence.repeat(60)}` },
      ]),
      'travel.docx',
    );
    expect(run).toMatchObject({ status: 'succeeded' });
    const first = await page(docId);
    expect(first.blocks.map((block: { kind: string }) => block.kind)).toEqual([
      'heading',
      'paragraph',
      'list_item',
      'table',
    ]);
    expect(first.text).toContain('| Economy | 500 |');
    const second = await page(docId, 2);
    expect(second.char_start).toBe(first.char_end + 2);
    expect(second.chunks[0]).toMatchObject({
      heading_path: ['Refunds'],
      boxes: [
        { page: 2, start: 0 },
        { page: 2, start: 9 },
      ],
    });
  });

  it('HTML: the article is read, navigation and scripts are not, and that is said', async () => {
    const html = `<html><head><title>News</title><script src="https://evil.test/x.js"></script></head><body>
      <nav><a href="/">Home of everything</a></nav>
      <article><h1>Budget decided</h1><p>${sentence.repeat(8)}</p><h2>What follows</h2><p>${sentence.repeat(8)}</p>
      <img src="https://tracker.test/p.gif"><ul><li>First point</li></ul></article><footer>Imprint of the paper</footer></body></html>`;
    const { docId } = await bench.ingest(html, 'news.html');
    const { text } = await page(docId);
    expect(text).toContain('Budget decided');
    expect(text).not.toMatch(/Home of everything|Imprint/);
    expect((await version(docId)).notes).toEqual([
      'what surrounds the article was left out: 7 words',
      'scripts were not run',
      'external references were not fetched',
      'images were left out',
    ]);
  });

  it('HTML without an article is read as a whole, and a million nodes are read as a stream', async () => {
    const plain = await bench.ingest(
      '<table><tr><td>Alpha</td><td>1</td></tr><tr><td>Beta</td><td>2</td></tr></table>',
      'table.html',
    );
    expect((await page(plain.docId)).text).toContain('| Beta | 2 |');
    const many = `<html><body><p>A page of many nodes.</p>${'<i></i>'.repeat(1_000_000)}</body></html>`;
    const { run } = await bench.ingest(many, 'many.html');
    expect(run).toMatchObject({ status: 'succeeded' });
  });

  it('Markdown and text keep their structure, in whatever encoding', async () => {
    const md = await bench.ingest(
      '# Title\n\nText of *one*.\n\n- item\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\n```\ncode\n```\n',
      'notes.md',
    );
    expect((await page(md.docId)).blocks.map((block: { kind: string }) => block.kind)).toEqual([
      'heading',
      'paragraph',
      'list_item',
      'table',
      'code',
    ]);
    const latin = await bench.ingest(
      Buffer.from(
        `Der Ausschuß prüfte die Lösung. ${'Die Größe für das Gerät ist über dem Maß. '.repeat(20)}`,
        'latin1',
      ),
      'alt.txt',
    );
    expect((await page(latin.docId)).text).toContain('Ausschuß prüfte');
  });

  it('right-to-left and vertical scripts keep their characters, and ideographs are found by pairs', async () => {
    const arabic = 'تقرير اللجنة عن الميزانية للعام القادم';
    const japanese = '予算委員会は火曜日に開かれた。来年度の予算は変更されない。';
    const { docId } = await bench.ingest(`${arabic}\n\n${japanese}\n`, 'scripts.txt');
    expect((await page(docId)).text).toContain(arabic);
    expect((await page(docId)).text).toContain(japanese);
    expect(await bench.count('chunk_terms', `term = '予算'`)).toBe(1);
  });
});

describe('scans', () => {
  it('a page without a text layer is read by OCR, with its confidence', async () => {
    const drawn = await bench.ingest(
      await buildPdf([
        { lines: ['The quarterly inspection of the northern bridge', 'found no damage at all in October.'] },
      ]),
      'drawn.pdf',
    );
    const image = await api.call('documents.page-image', {
      as: bench.admin,
      params: { doc_id: drawn.docId, version: '1', page_no: '1' },
      query: { dpi: '150' },
    });
    const { docId, run } = await bench.ingest(
      await buildPdf([{ image: image.rawPayload }, { lines: prose(2) }]),
      'scan.pdf',
    );
    expect(run.receipt).toMatchObject({ read: 2, outcomes: { ocr: 1, text: 1 } });
    const read = await page(docId);
    expect(read).toMatchObject({ fate: 'ocr', reason: 'no text layer', ocr_confidence: expect.any(Number) });
    expect(read.text).toMatch(/northern bridge/i);
  });
});

describe('a scan with a stamp in its text layer', () => {
  it('is read by OCR, and what only the text layer says stays', async () => {
    const drawn = await bench.ingest(await buildPdf([{ lines: prose(12, 16) }]), 'letter.pdf');
    const params = { doc_id: drawn.docId, version: '1', page_no: '1' };
    const image = await api.call('documents.page-image', { as: bench.admin, params, query: { dpi: '150' } });
    const stamped = await buildPdf([{ image: image.rawPayload, heading: 'ACME 000017' }]);
    const { docId, run } = await bench.ingest(stamped, 'stamped.pdf');
    expect(run.receipt).toMatchObject({ read: 1, outcomes: { ocr: 1 } });
    const read = await page(docId);
    expect(read).toMatchObject({ fate: 'ocr', reason: 'most of the page is an image' });
    expect(read.text).toContain('ACME 000017');
    expect(read.text).toMatch(/staff keep record 1203/);
  });
});

describe('files that cannot be read', () => {
  /** The code its run ends with; nothing of it may be left. */
  const fails = async (bytes: Uint8Array | string, name: string) => {
    const { docId, run } = await bench.ingest(bytes, name);
    await waitFor(async () => (await bench.count('document_versions', `doc_id = '${docId}'`)) === 0 || undefined, {
      what: 'no version of it',
    });
    expect([run.status, run.error_text]).toEqual(['failed', expect.stringMatching(/^extraction error/)]);
    return run.error_code;
  };
  /** What it is answered; there may be no run. */
  const refused = async (bytes: Uint8Array | string, name: string) => {
    const runs = await bench.count('engine.runs');
    const { status, body } = await bench.upload(bytes, name);
    expect(await bench.count('engine.runs')).toBe(runs);
    return [status, body.code];
  };

  it('content under a wrong extension, and other kinds of files, are refused at once', async () => {
    expect(await refused(await buildPdf([{ lines: ['x'] }]), 'policy.docx')).toEqual([415, 'content_mismatch']);
    expect(await refused('<html><body>x</body></html>', 'policy.pdf')).toEqual([415, 'content_mismatch']);
    expect(await refused('a,b\n1,2\n', 'table.csv')).toEqual([415, 'document_type_unknown']);
    expect(await refused('', 'empty.pdf')).toEqual([422, 'file_empty']);
    // What Word wrote before 2007, renamed or not: it has to be saved as something else.
    const old = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2_000)]);
    for (const name of ['letter.doc', 'letter.docx']) {
      const { status, body } = await bench.upload(old, name);
      expect([name, status, body]).toMatchObject([
        name,
        415,
        { code: 'document_type_unknown', detail: expect.stringContaining('Office 97–2003 (.doc, .xls)') },
      ]);
    }
  });

  it('a damaged PDF, one without pages and one that is cut off fail with their code', async () => {
    expect(await fails('%PDF-1.7\nnothing of a PDF follows\n', 'junk.pdf')).toBe('document_damaged');
    const whole = Buffer.from(await buildPdf([{ lines: prose(1) }]));
    expect(await fails(whole.subarray(0, Math.floor(whole.length / 3)), 'cut.pdf')).toBe('document_damaged');
  });

  it('a PDF with a password is said to be encrypted', async () => {
    expect(await fails(encryptedPdf(), 'secret.pdf')).toBe('document_encrypted');
  });

  it('a PDF whose pages are all blank has no text, and says how many pages it has', async () => {
    const { run } = await bench.ingest(await buildPdf([{}, {}]), 'blank.pdf');
    expect(run).toMatchObject({ status: 'failed', error_code: 'document_without_text' });
    expect(run.error_text).toContain('none of the 2 pages has text (2 empty, 0 rejected)');
  });

  it('a page that is all script has no text, and nothing is said of pages', async () => {
    const { run } = await bench.ingest(
      '<html><head><script>let a = 1;</script></head><body></body></html>',
      'app.html',
    );
    expect(run).toMatchObject({
      error_code: 'document_without_text',
      error_text: 'extraction error: there is no text in it that a reader would see.',
    });
  });

  it('a DOCX that defines entities is refused in words of its own: nothing is replaced or read from elsewhere', async () => {
    const xml = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><w:document
      xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>&f;</w:t></w:r></w:p></w:body></w:document>`;
    const entity = buildZip([
      { name: '[Content_Types].xml', data: Buffer.from('<Types/>') },
      { name: 'word/document.xml', data: Buffer.from(xml) },
    ]);
    const { run } = await bench.ingest(entity, 'entity.docx');
    expect(run).toMatchObject({ error_code: 'document_damaged' });
    expect(run.error_text).toBe('extraction error: the document is damaged: its XML is wrong: entity not found:&f;.');
  });

  it('a DOCX that is a bomb, or no document, is refused before it is built', async () => {
    const bomb = buildZip([
      { name: '[Content_Types].xml', data: Buffer.from('<Types/>') },
      {
        name: 'word/document.xml',
        data: deflateRawSync(Buffer.alloc(200 * 1024 * 1024, 32)),
        isDeflated: true,
        size: 1_000,
      },
    ]);
    expect(await fails(bomb, 'bomb.docx')).toBe('document_too_complex');
    expect(await fails(buildZip([{ name: 'word/other.xml', data: Buffer.from('<x/>') }]), 'hollow.docx')).toBe(
      'document_damaged',
    );
  });

  it('text without a break is cut into sections and chunks within their limits', async () => {
    const { docId } = await bench.ingest(`${'x'.repeat(200_000)} ${sentence.repeat(2_000)}`, 'long.txt');
    expect(await bench.count('chunks', `doc_id = '${docId}' and token_count > 800`)).toBe(0);
    expect(await bench.count('chunks', `doc_id = '${docId}'`)).toBeGreaterThan(50);
  });
});

/** RC4 with an unknown user password, written by hand: enough for a reader to ask for it. */
function encryptedPdf(): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>',
    `<< /Filter /Standard /V 1 /R 2 /P -44 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> >>`,
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const xref = body.length;
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  body += `xref\n0 5\n0000000000 65535 f \n${table}trailer\n<< /Size 5 /Root 1 0 R /Encrypt 4 0 R /ID [<aa> <aa>] >>\nstartxref\n${xref}\n%%EOF\n`;
  return Buffer.from(body, 'latin1');
}
