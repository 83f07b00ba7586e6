// Files that mean harm, or were made by programs that went wrong: what they cost is what they break, and it is said.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { buildPdf, prose, rawPages, rawPdf, textContent, useDocuments } from '../../../test/support/documents.ts';
import { buildZip } from '../../../test/support/docx.ts';
import { waitFor } from '../../../test/support/wait-for.ts';

const bench = useDocuments({ limits: { maxMemoryMb: 300, timeoutMs: 600_000 }, pagesPerPart: 4 });
const { api } = bench;

const show = async (docId: string) =>
  (await api.call('documents.show', { as: bench.admin, params: { doc_id: docId } })).json();
const page = async (docId: string, pageNo: number, version = 1) =>
  (
    await api.call('documents.page', {
      as: bench.admin,
      params: { doc_id: docId, version: String(version), page_no: String(pageNo) },
    })
  ).json();

/** Millions of letters to be drawn: a few kilobytes in the file, more memory than the reader may take. */
function bombContent(): { dict: string; bytes: Uint8Array } {
  const drawn = Buffer.from('(x) Tj '.repeat(4_000_000), 'latin1');
  const bytes = deflateSync(Buffer.concat([Buffer.from('BT /F1 1 Tf '), drawn, Buffer.from('ET')]), { level: 1 });
  return { dict: '/Filter /FlateDecode', bytes };
}

describe('a page that ends the reader', () => {
  it('is rejected with the reason, and the other pages are read', async () => {
    const pages = Array.from({ length: 6 }, (_, at) => (at === 2 ? bombContent() : textContent(prose(at + 1))));
    const { docId, run } = await bench.ingest(rawPages(pages), 'bomb-page.pdf');
    expect([run.error_code, run.receipt]).toMatchObject([null, { read: 6, outcomes: { text: 5, rejected: 1 } }]);
    expect(await page(docId, 3)).toMatchObject({
      fate: 'rejected',
      reason: expect.stringMatching(/^the page cannot be read: it takes over 300 MB/),
    });
    for (const pageNo of [1, 2, 4, 6]) expect((await page(docId, pageNo)).text).toContain(`On page ${pageNo} rule`);
    const verified = await api.call('runs.verify', { as: bench.admin, params: { run_id: run.id }, body: {} });
    expect(verified.json()).toMatchObject({ matches: true });
    // Its image cannot be drawn either, and that is an answer, not an accident.
    const params = { doc_id: docId, version: '1', page_no: '3' };
    const image = await api.call('documents.page-image', { as: bench.admin, params });
    expect([200, 422]).toContain(image.statusCode);
  });

  it('of 50 MB costs itself alone too', async () => {
    const drawn = Buffer.from('\n0 0 m 9 9 l S'.repeat(3_600_000), 'latin1');
    const large = { dict: '', bytes: Buffer.concat([textContent(prose(2)).bytes, drawn]) };
    const { docId, run } = await bench.ingest(rawPages([textContent(prose(1)), large]), 'large-page.pdf');
    expect([run.error_code, run.receipt]).toMatchObject([null, { read: 2, outcomes: { text: 1, rejected: 1 } }]);
    expect(await page(docId, 2)).toMatchObject({ fate: 'rejected', reason: expect.stringMatching(/MB of memory$/) });
  });

  it('costs the document when it is the only one, with its own reason', async () => {
    const { docId, run } = await bench.ingest(rawPages([bombContent()]), 'only-bomb.pdf');
    expect(run).toMatchObject({ status: 'failed', error_code: 'document_too_complex' });
    // Cleared up by a reader of the outbox, once the run has ended.
    await waitFor(async () => (await bench.count('document_versions', `doc_id = '${docId}'`)) === 0 || undefined, {
      what: 'no version of it',
    });
  });
});

describe('many pages', () => {
  it('ten thousand of them are read in parts, each with its fate', async () => {
    const contents = Array.from({ length: 10_000 }, (_, at) =>
      textContent([`Entry ${at + 1} of the register is open.`]),
    );
    const { docId, run } = await bench.ingest(rawPages(contents), 'register.pdf');
    expect(run).toMatchObject({ status: 'succeeded', receipt: { read: 10_000, outcomes: { text: 10_000 } } });
    expect((await page(docId, 7_777)).text).toContain('Entry 7777 of');
    const { rows } = await bench.db.admin.query<{ n: number }>(
      `select count(*)::int as n from chunks where doc_id = $1 and page_from <> page_to and jsonb_array_length(boxes) = 0`,
      [docId],
    );
    expect(rows[0]?.n).toBe(0);
  });

  it('a PDF without pages says so', async () => {
    const empty = rawPdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 0 >>']);
    const { run } = await bench.ingest(empty, 'no-pages.pdf');
    expect(run).toMatchObject({ status: 'failed', error_code: 'document_without_pages' });
  });
});

describe('a PDF that says it has more pages than it can hold', () => {
  it('is damaged, and says so at once instead of giving each of them a fate', async () => {
    const content = textContent(prose(6));
    const lies = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1000000 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>',
      content,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ]);
    const { run } = await bench.ingest(lies, 'lies.pdf');
    expect(run).toMatchObject({
      status: 'failed',
      error_code: 'document_damaged',
      error_text: expect.stringMatching(/it says that it has 1000000 pages, in \d+ bytes/),
    });
  });
});

describe('what a file contains besides its text', () => {
  it('embedded files, scripts and outside actions of a PDF are ignored, and the version says so', async () => {
    const attached = { dict: '/Type /EmbeddedFile', bytes: Buffer.from('MZ of a program') };
    const at = 4 + 2;
    const bytes = rawPages([textContent(prose(3))], {
      catalog: `/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> /Names << /EmbeddedFiles << /Names [(a.exe) ${at + 1} 0 R] >> >>`,
      more: [attached, `<< /Type /Filespec /F (a.exe) /EF << /F ${at} 0 R >> >>`, '<< /S /Launch /F (calc.exe) >>'],
    });
    const { docId } = await bench.ingest(bytes, 'carrier.pdf');
    expect((await show(docId)).versions[0].notes).toEqual([
      'embedded files were ignored',
      'scripts were not run',
      'external references were not fetched',
    ]);
    expect((await page(docId, 1)).text).not.toContain('MZ of');
  });

  it('nothing outside is fetched, whatever the file refers to', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end('x');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const text = 'The register of the parish is kept in the north tower. '.repeat(12);
    const html = `<html><head><link rel="stylesheet" href="${url}/a.css"><base href="${url}/"></head><body><article><h1>Register</h1><p>${text}</p>
      <img src="${url}/b.png"><iframe src="${url}/c.html"></iframe><script src="${url}/d.js"></script></article></body></html>`;
    const docx = buildZip([
      { name: '[Content_Types].xml', data: Buffer.from('<Types/>') },
      {
        name: 'word/_rels/document.xml.rels',
        data: Buffer.from(
          `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="${url}/e.png" TargetMode="External"/></Relationships>`,
        ),
      },
      {
        name: 'word/document.xml',
        data: Buffer.from(
          `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p><w:p><w:r><a:blip r:link="r1"/></w:r></w:p></w:body></w:document>`,
        ),
      },
    ]);
    try {
      const page = await bench.ingest(html, 'page.html');
      const word = await bench.ingest(docx, 'word.docx');
      expect([page.run.status, word.run.status]).toEqual(['succeeded', 'succeeded']);
      expect(asked).toEqual([]);
    } finally {
      server.close();
    }
  });

  it('right-to-left and vertical text of HTML keeps its characters and their order', async () => {
    const hebrew = 'הוועדה החליטה שלא לשנות את התקציב';
    const vertical = '予算は変更されない';
    const html = `<html><body dir="rtl"><article><h1>${hebrew}</h1><p>${`${hebrew}. `.repeat(20)}</p><p style="writing-mode: vertical-rl">${vertical}</p></article></body></html>`;
    const { docId } = await bench.ingest(html, 'rtl.html');
    const { text } = await page(docId, 1);
    expect(text).toContain(hebrew);
    expect(text).toContain(vertical);
  });
});

describe('a PDF that is not read from left to right', () => {
  it('keeps the words of right-to-left lines and the columns of vertical text in the order in which they are read', async () => {
    const file = new URL('../../../test/fixtures/right-to-left-and-vertical.pdf', import.meta.url);
    const { docId, run } = await bench.ingest(readFileSync(file), 'scripts.pdf');
    expect(run.receipt).toMatchObject({ read: 2, outcomes: { text: 2 } });
    const sentence = 'הוועדה החליטה שלא לשנות את התקציב של השנה הבאה';
    expect((await page(docId, 1)).text).toBe(`${sentence}\n\n${sentence}. ${sentence} Millrace 2026.`);
    expect((await page(docId, 2)).text).toBe(
      '委員会は来年度の予算を変更しないことを決定した。記録は十年間保存される。',
    );
  });
});

describe('a PDF whose letters come in another order than they are read', () => {
  it('has its Arabic words and its turned lines in order, and says in fate and grade what cannot be told', async () => {
    const file = new URL('../../../test/fixtures/arabic-and-turned.pdf', import.meta.url);
    const { docId } = await bench.ingest(readFileSync(file), 'arabic.pdf');
    const arabic = await page(docId, 1);
    expect(arabic.text.replace(/\s+/g, ' ')).toBe(
      'تقرير الميزانية تقرير اللجنة عن الميزانية للعام القادم. يجب أن تعطى قائمة بمصادر الحزمة المستودعات. الملف سوف يدرج ' +
        'المستودعات المختلفة التي تنشر حزم دبيان 2024 وفي المدينة الكبيرة مدرسة قديمة على الطريق إلى المستشفى.',
    );
    expect(arabic).toMatchObject({
      fate: 'text',
      reason: expect.stringMatching(
        /^some words had their letters in reverse order and were turned; \d+ % of the words are uncertain$/,
      ),
    });
    expect((await page(docId, 2)).text.replace(/\s+/g, ' ')).toBe(
      'This is a normal paragraph on the page that says something about the budget of the committee. First rotated line of a label speaks of ' +
        'the northern gate and its keeper. Second rotated sentence speaks of the southern gate and its guard. Third sentence speaks of the ' +
        'river and the mill behind it.',
    );
    expect(await page(docId, 3)).toMatchObject({
      reason: null,
      text: expect.stringMatching(/^The wide table was turned so that it fits the page\..* its guard\.$/),
    });
    const [version] = (await show(docId)).versions;
    expect(version?.grade_shares?.garbled).toBeGreaterThan(0);
  });
});

describe('at the same time', () => {
  it('an upload while the same document runs makes a second run, and one version is served', async () => {
    const bytes = await buildPdf([{ lines: prose(90) }]);
    await bench.engine.pause('documents', 'test');
    const first = await bench.upload(bytes, 'twice.pdf');
    const second = await bench.upload(bytes, 'twice.pdf');
    await bench.engine.unpause('documents');
    expect([first.status, second.status, second.body.doc_id]).toEqual([202, 202, first.body.doc_id]);
    expect(second.body.run_id).not.toBe(first.body.run_id);
    const runs = await Promise.all([first, second].map(({ body }) => bench.ended(body.run_id ?? '')));
    expect(runs.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    expect(runs.map(({ receipt }) => receipt?.version).sort()).toEqual(['active', 'unchanged']);
    expect((await show(first.body.doc_id)).versions).toHaveLength(1);
  });
});
