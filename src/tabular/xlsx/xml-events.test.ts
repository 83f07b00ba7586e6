import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../test/support/tables.ts';
import { attributeOf, decodeEscapes, XmlEvents } from './xml-events.ts';

/** Events as a list; text in pieces is joined, because it may come in any number of them. */
function events(xml: string | Buffer, cut: () => number = () => Number.MAX_SAFE_INTEGER): string[] {
  const seen: string[] = [];
  const parser = new XmlEvents({
    open: (name, attributes) => seen.push(`<${name}${attributes}`),
    text: (text) => {
      if (seen.at(-1)?.startsWith('"')) seen.push(`${seen.pop()}${text}`);
      else seen.push(`"${text}`);
    },
    close: (name) => seen.push(`/${name}`),
  });
  const bytes = Buffer.from(xml);
  for (let at = 0; at < bytes.length; ) {
    const next = at + Math.max(1, cut());
    parser.write(bytes.subarray(at, next));
    at = next;
  }
  parser.end();
  return seen;
}

describe('events', () => {
  it('opens, closes and gives text, without prefixes', () => {
    expect(events('<?xml version="1.0"?><x:a b="1">t<c/></x:a>')).toEqual(['<a b="1"', '"t', '<c', '/c', '/a']);
  });

  it('decodes the five entities and character references', () => {
    expect(events('<a>&lt;&gt;&amp;&quot;&apos;&#233;&#x6F22;</a>')[1]).toBe(`"<>&"'é漢`);
  });

  it('reads CDATA and skips comments', () => {
    expect(events('<a><!-- <b> --><![CDATA[<x> & y]]></a>')).toEqual(['<a', '"<x> & y', '/a']);
  });

  it('does not end a tag inside the quotes of an attribute', () => {
    expect(events('<a b="1>2" c=\'>\'>t</a>')).toEqual(['<a b="1>2" c=\'>\'', '"t', '/a']);
  });

  it.each([1, 2, 3])('gives the same events however the bytes are cut (seed %i)', (seed) => {
    const xml =
      '<s:a x="&quot;>"><!-- c --><b>té&amp;xt 漢😀</b><![CDATA[ ]] ]]><c  y=\'1\' /><?pi ?><d>&#x1F600;</d></s:a>';
    const random = seededRandom(seed);
    const whole = events(xml);
    for (let round = 0; round < 50; round++) expect(events(xml, () => Math.floor(random() * 7))).toEqual(whole);
  });
});

describe('refusals', () => {
  it.each([
    ['a document type', '<!DOCTYPE a><a/>'],
    ['an entity that is not defined', '<a>&nope;</a>'],
    ['a character that does not exist', '<a>&#x110000;</a>'],
    ['half a character', '<a>&#xD83D;</a>'],
    ['a tag that never ends', '<a b="1"'],
    ['bytes that are no UTF-8', Buffer.from([0x3c, 0x61, 0x3e, 0xff])],
  ])('%s', (_title, xml) => {
    expect(() => events(xml)).toThrow(expect.objectContaining({ code: 'spreadsheet_damaged' }));
  });

  it('a tag without an end does not pile up', () => {
    const parser = new XmlEvents({});
    parser.write(Buffer.from('<a '));
    expect(() => {
      for (let i = 0; i < 40; i++) parser.write(Buffer.alloc(64 * 1024, 'x'));
    }).toThrow(expect.objectContaining({ code: 'spreadsheet_damaged' }));
  });
});

describe('attributes and escapes', () => {
  it('finds attributes by their local name, in either kind of quotes', () => {
    expect(attributeOf(' r:id="rId1" name=\'A &amp; B\' sheetId="3"', 'id')).toBe('rId1');
    expect(attributeOf(' r:id="rId1" name=\'A &amp; B\'', 'name')).toBe('A & B');
    expect(attributeOf(' sheetId="3"', 'id')).toBeNull();
  });

  it('decodes what cells escape', () => {
    expect(decodeEscapes('a_x000D__x000A_b_x00e9_ _x12_')).toBe('a\r\nbé _x12_');
    expect(decodeEscapes('_xD83D__xDE00_')).toBe('😀');
    expect(decodeEscapes('_xD83D_')).toBe('_xD83D_');
  });
});
