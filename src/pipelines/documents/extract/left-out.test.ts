// Odd but real documents: what they say is read, and whatever is not read is said in the notes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildZip, type ZipEntry } from '../../../../test/support/docx.ts';
import { markdownOf } from '../markdown.ts';
import type { Block } from './page.ts';
import { readDocx } from './read-docx.ts';
import { readHtml } from './read-html.ts';
import { readMarkdown, readText } from './read-text.ts';
import { sectionsOf } from './sections.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'millrace-left-out-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const html = (text: string) => readHtml(Buffer.from(text));
const texts = (blocks: readonly Block[]) => blocks.map(({ text }) => text);
const sentence = 'The committee met on Tuesday and decided that the budget for the next year is not to be changed. ';

async function exported(blocks: readonly Block[]): Promise<string> {
  async function* pages() {
    yield* sectionsOf(blocks);
  }
  let text = '';
  for await (const part of markdownOf('T', 'section', pages())) text += part;
  return text;
}

describe('HTML', () => {
  it('of several articles, or with more to say beside its article, is read as a whole', async () => {
    const part = (name: string, times: number) => `<article><h1>${name}</h1><p>${sentence.repeat(times)}</p></article>`;
    const { blocks, notes } = await html(
      `<body>${part('One', 20)}${part('Two', 15)}<div><h2>Appendix</h2><p>${sentence.repeat(20)}</p></div></body>`,
    );
    expect(blocks.filter(({ kind }) => kind === 'heading').map(({ text }) => text)).toEqual(['One', 'Two', 'Appendix']);
    expect(notes).toEqual([]);
    const box = `<div class="sidebar"><b>Tip</b> ${sentence.repeat(2)}</div>`;
    const menu = '<div><a href="/a">Back</a></div><div><a href="/b">Next chapter</a></div>';
    const article = `<div class="article"><h1>Setup</h1>${`<p>${sentence.repeat(4)}</p>`.repeat(6)}</div>`;
    expect(texts((await html(`<body>${menu}${article}${box}</body>`)).blocks).join()).toContain('Tip The committee');
    const plain = await html(`<body>${menu}${article}</body>`);
    expect([plain.blocks[0]?.text, plain.notes]).toEqual([
      'Setup',
      ['what surrounds the article was left out: 3 words'],
    ]);
  });

  it('keeps captions of tables, text inside forms, headers and asides, and says how many words of navigation and footers it leaves out', async () => {
    const { blocks, notes } = await html(
      `<body><nav>Home News</nav><header><h1>Report</h1></header><form><p>Inside a form.</p></form>
       <table><caption>Table 7: Budget</caption><tr><th>A</th><th>B</th></tr><tr><td>foo<b>bar</b></td><td>2</td></tr></table>
       <aside>1. A footnote.</aside><footer>Imprint</footer></body>`,
    );
    expect(texts(blocks)).toEqual([
      'Report',
      'Inside a form.',
      'Table 7: Budget',
      '| A | B |\n| foobar | 2 |',
      '1. A footnote.',
    ]);
    expect(notes).toEqual(['navigation and footers were left out: 3 words']);
  });

  it('whose tags are never closed is not swallowed by them', async () => {
    expect(texts((await html(`<html><head><title>T</title><p>First.</p><p>Second.</p>`)).blocks)).toEqual([
      'T',
      'First.',
      'Second.',
    ]);
    const { blocks, notes } = await html(
      '<p>First.</p><button>Go<p>Second.</p><select><option>A<h2>Third</h2><p>Last.</p>',
    );
    expect(texts(blocks)).toEqual(['First.', 'Second.', 'Third', 'Last.']);
    expect(notes).toEqual(['buttons and choices were left out']);
  });

  it('keeps the numbers of its lists and where its links lead', async () => {
    const { blocks } = await html(
      `<ol start="3"><li>Notice</li><li value="7">Term, see <a href="https://example.org/a b">the act</a></li></ol>
       <table><tr><td><a href="mailto:x@example.org">x</a></td><td><a href="javascript:1">y</a></td></tr></table>`,
    );
    expect(texts(blocks).slice(0, 2)).toEqual(['3. Notice', '7. Term, see the act']);
    const text = await exported(blocks);
    expect(text).toContain('7. Term, see [the act](https://example.org/a%20b)');
    expect(text).toContain('| [x](mailto:x@example.org) | y |');
  });

  it('says that images, frames and scripts were left out', async () => {
    const { notes } = await html(
      '<p>x</p><img src="a.png" alt="A chart"><iframe srcdoc="y"></iframe><script>1</script>',
    );
    expect(notes).toEqual(['scripts were not run', 'embedded objects were ignored', 'images were left out']);
  });
});

describe('Markdown', () => {
  it('keeps the numbers of its lists', async () => {
    expect(texts((await readMarkdown(Buffer.from('3. Notice\n4) Term\n- point\n'))).blocks)).toEqual([
      '3. Notice',
      '4) Term',
      'point',
    ]);
  });
});

describe('plain text', () => {
  it('with a stray NUL is read as what it is without it, and the NUL is said', async () => {
    expect(await readText(Buffer.from('Bring the ke\0ys.'))).toEqual({
      blocks: [{ kind: 'paragraph', text: 'Bring the keys.' }],
      notes: ['1 NUL character was left out'],
    });
    const { blocks, notes } = await readMarkdown(Buffer.from('# Grüße\0\n\naus\0 Köln\n'));
    expect([texts(blocks), notes]).toEqual([['Grüße', 'aus Köln'], ['2 NUL characters were left out']]);
  });

  it.each(['utf16le', 'utf8'] as const)('in %s without a mark says nothing of NULs', async (encoding) => {
    expect(await readText(Buffer.from('Bring the keys.\n\nAll of them.', encoding))).toEqual({
      blocks: [
        { kind: 'paragraph', text: 'Bring the keys.' },
        { kind: 'paragraph', text: 'All of them.' },
      ],
      notes: [],
    });
  });
});

it('Markdown: what a page says about itself is no heading, and HTML for browsers without scripts is left out and said', async () => {
  const { blocks: md } = await readMarkdown(
    Buffer.from('---\ntitle: Report\nowner: Ada\n---\n\nText\n\n---\n\nMore\n'),
  );
  expect(md.map(({ kind, text }) => [kind, text])).toEqual([
    ['code', 'title: Report\nowner: Ada'],
    ['paragraph', 'Text'],
    ['paragraph', '---'],
    ['paragraph', 'More'],
  ]);
  const { notes } = await html('<body><p>Text</p><noscript><p>Turn them on.</p></noscript></body>');
  expect(notes).toEqual(['text for browsers without scripts was left out']);
  expect((await html('<body><p>Text</p><noscript><img src="x.png"></noscript></body>')).notes).toEqual([
    'images were left out',
  ]);
});

const names = ['w', 'r', 'm', 'mc', 'wp', 'wps', 'a', 'v'];
const uris: Readonly<Record<string, string>> = {
  w: 'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
  r: 'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
  m: 'http://schemas.openxmlformats.org/officeDocument/2006/math',
  mc: 'http://schemas.openxmlformats.org/markup-compatibility/2006',
  wp: 'http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing',
  wps: 'http://schemas.microsoft.com/office/word/2010/wordprocessingShape',
  a: 'http://schemas.openxmlformats.org/drawingml/2006/main',
  v: 'urn:schemas-microsoft-com:vml',
};
const spaces = names.map((name) => `xmlns:${name}="${uris[name]}"`).join(' ');
const r = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (runs: string) => `<w:p>${runs}</w:p>`;
const part = (name: string, root: string, body: string): ZipEntry => ({
  name,
  data: Buffer.from(`<${root} ${spaces}>${body}</${root}>`),
});

async function docx(
  body: string,
  more: readonly ZipEntry[] = [],
  relations = '',
  written = 'word/document.xml',
  main = written,
) {
  const xmlns = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"';
  const file = path.join(folder, 'one.docx');
  writeFileSync(
    file,
    buildZip([
      { name: '[Content_Types].xml', data: Buffer.from('<Types/>') },
      {
        name: '_rels/.rels',
        data: Buffer.from(
          `<Relationships ${xmlns}><Relationship Id="m" Type="${uris.r}/officeDocument" Target="${main}"/></Relationships>`,
        ),
      },
      {
        name: `word/_rels/${path.basename(main)}.rels`,
        data: Buffer.from(`<Relationships ${xmlns}>${relations}</Relationships>`),
      },
      part(written, 'w:document', `<w:body>${body}</w:body>`),
      ...more,
    ]),
  );
  return readDocx(file);
}

describe('DOCX', () => {
  const boxed = `<w:txbxContent>${p(r('Boxed words'))}</w:txbxContent>`;
  const drawing = `<w:drawing><wp:anchor><a:graphic><a:graphicData><wps:wsp><wps:txbx>${boxed}</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing>`;
  const older = `<w:pict><v:shape><v:textbox>${boxed}</v:textbox></v:shape></w:pict>`;

  it.each([
    ['of a field', `<w:fldSimple w:instr="MERGEFIELD Name">${r('Ada Lovelace')}</w:fldSimple>`, ['Ada Lovelace']],
    [
      'set in one direction',
      `<w:bdo w:val="rtl">${r('הוועדה')}</w:bdo><w:dir w:val="rtl">${r(' החליטה')}</w:dir>`,
      ['הוועדה החליטה'],
    ],
    [
      'under ruby',
      `<w:r><w:ruby><w:rubyPr/><w:rt>${r('かん')}</w:rt><w:rubyBase>${r('漢')}</w:rubyBase></w:ruby></w:r>${r('字')}`,
      ['漢字'],
    ],
    [
      'of a formula',
      `${r('Energy')}<m:oMath><m:r><m:t>E</m:t></m:r><m:r><m:t>=mc²</m:t></m:r></m:oMath>`,
      ['Energy E =mc²'],
    ],
    [
      'of a fraction',
      `<m:oMath><m:f><m:num><m:r><m:t>profit</m:t></m:r></m:num><m:den><m:r><m:t>sales</m:t></m:r></m:den></m:f></m:oMath>`,
      ['profit sales'],
    ],
    ['in a section of its own', '<w:r><w:t><![CDATA[R&D <draft>]]></w:t></w:r>', ['R&D <draft>']],
    [
      'drawn as letters',
      '<w:r><w:pict><v:shape><v:textpath style="x" string="For sale"/></v:shape></w:pict></w:r>',
      ['For sale'],
    ],
    ['with soft hyphens, which part no word', r('Donau\u00ADdampf\u00ADschiff'), ['Donaudampfschiff']],
    ['of a text box', `<w:r>${drawing}</w:r>${r('Outside')}`, ['Outside', 'Boxed words']],
    [
      'of a text box for newer programs',
      `<w:r><mc:AlternateContent><mc:Choice Requires="wps">${drawing}</mc:Choice></mc:AlternateContent></w:r>${r('Outside')}`,
      ['Outside', 'Boxed words'],
    ],
    [
      'of a text box for both, once',
      `<w:r><mc:AlternateContent><mc:Choice Requires="wps">${drawing}</mc:Choice><mc:Fallback>${older}</mc:Fallback></mc:AlternateContent></w:r>${r('Outside')}`,
      ['Outside', 'Boxed words'],
    ],
    [
      'of a shape',
      `<w:r><w:pict><v:oval><v:textbox>${boxed}</v:textbox></v:oval></w:pict></w:r>${r('Outside')}`,
      ['Outside', 'Boxed words'],
    ],
  ])('reads text %s', async (_, runs, expected) => {
    const { blocks, notes } = await docx(p(runs));
    expect([texts(blocks), notes]).toEqual([expected, []]);
  });

  it('reads tracked changes as accepted, and says how much they delete', async () => {
    const { blocks, notes } = await docx(
      p(
        `${r('The fee is ')}<w:del w:id="1" w:author="x"><w:r><w:delText>one hundred</w:delText></w:r></w:del><w:ins w:id="2" w:author="x">${r('200')}</w:ins>`,
      ),
    );
    expect([texts(blocks), notes]).toEqual([
      ['The fee is 200'],
      ['tracked changes were read as accepted, without what they delete: 2 words'],
    ]);
  });

  it('reads foot notes under the number by which the text names them', async () => {
    const notes = part(
      'word/footnotes.xml',
      'w:footnotes',
      `<w:footnote w:id="2">${p(r('Source: Smith 2020'))}</w:footnote>`,
    );
    const relation = `<Relationship Id="f" Type="${uris.r}/footnotes" Target="footnotes.xml"/>`;
    const { blocks } = await docx(p(`${r('Claim')}<w:r><w:footnoteReference w:id="2"/></w:r>`), [notes], relation);
    expect(texts(blocks)).toEqual(['Claim[1]', '[1] Source: Smith 2020']);
  });

  it('says what it leaves out: headers, footers, comments, and text that nobody could place', async () => {
    const { blocks, notes } = await docx(p(`${r('Body')}<w:unheardOf>${r('unheard words')}</w:unheardOf>`), [
      part('word/header1.xml', 'w:hdr', p(r('Classified header'))),
      part('word/footer1.xml', 'w:ftr', p(r('Footer'))),
      part('word/comments.xml', 'w:comments', `<w:comment w:id="0">${p(r('Please check'))}</w:comment>`),
    ]);
    expect([texts(blocks), notes]).toEqual([
      ['Body'],
      [
        'headers and footers were left out: 3 words',
        'comments were left out: 2 words',
        'text that could not be read was left out: 2 words',
      ],
    ]);
  });

  it('is read in either encoding of XML, and refused when it is nested too deep for any reader', async () => {
    const xml = `<?xml version="1.0" encoding="UTF-16"?><w:document ${spaces}><w:body>${p(r('Größe'))}</w:body></w:document>`;
    const little = Buffer.from(`\uFEFF${xml}`, 'utf16le');
    const entry = (data: Buffer) => ({ name: 'word/wide.xml', data });
    for (const data of [little, Buffer.from(little).swap16()])
      expect(texts((await docx('', [entry(data)], '', 'word/document.xml', 'word/wide.xml')).blocks)).toEqual([
        'Größe',
      ]);
    const deep = `${'<w:tbl><w:tr><w:tc>'.repeat(3_000)}${p(r('deep'))}${'</w:tc></w:tr></w:tbl>'.repeat(3_000)}`;
    await expect(docx(deep)).rejects.toMatchObject({ code: 'document_too_complex' });
  });

  it('is read whatever its main part is called', async () => {
    const { blocks } = await docx(p(r('Another name')), [], '', 'word/document2.xml');
    expect(texts(blocks)).toEqual(['Another name']);
  });
});
