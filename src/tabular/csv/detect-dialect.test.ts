import { describe, expect, it } from 'vitest';
import { googleReport, metaExport } from '../../../test/support/tables.ts';
import { detectDialect, detectLineEnd } from './detect-dialect.ts';

const detect = (text: string) => detectDialect(Buffer.from(text)).value;

describe('delimiter', () => {
  it.each([
    [',', 'a,b,c\n1,2,3\n4,5,6\n'],
    ['\t', 'a\tb\tc\n1\t2, and more\t3\n4\t5\t6\n'],
    [';', 'a;b;c\n1;2,5;3\n4;5,75;6\n'],
    ['|', 'a|b|c\n1|2|3\n'],
    ['^', 'a^b\n1^2\n3^4\n'],
  ])('finds %j', (delimiter, text) => {
    expect(detect(text).delimiter).toBe(delimiter);
  });

  it('prefers semicolons when every number has a decimal comma', () => {
    expect(detect('Nom;Jour;Coût\nA;05/01/2024;12,50\nB;06/01/2024;3,00\nC;07/01/2024;4,25\n').delimiter).toBe(';');
  });

  it('is not misled by titles above and totals below the table', () => {
    expect(detect(googleReport).delimiter).toBe(',');
    expect(detect(metaExport).delimiter).toBe(',');
  });

  it('is not misled by other delimiters inside quotes', () => {
    expect(detect('a,b\n"x;y;z",1\n"p;q;r",2\n').delimiter).toBe(',');
  });

  it('is not misled by times and URLs', () => {
    expect(detect('when,where\n10:00:01,http://a.test:80\n11:30:02,http://b.test:80\n').delimiter).toBe(',');
  });

  it('believes the first line that Excel writes for itself', () => {
    expect(detectDialect(Buffer.from('sep=;\r\na,b;c,d\r\n1,2;3,4\r\n'))).toMatchObject({
      confidence: 'exact',
      value: { delimiter: ';' },
    });
  });

  it('says that it found one column when there is no delimiter', () => {
    const decision = detectDialect(Buffer.from('name\nanna\nbert\n'));
    expect(decision).toMatchObject({ confidence: 'guess', value: { delimiter: ',' } });
    expect(decision.reason).toContain('one column');
  });

  it('gives its reason in words', () => {
    expect(detectDialect(Buffer.from('a;b\n1;2\n')).reason).toBe(
      '100 % of the rows have 2 cells separated by semicolons',
    );
  });
});

describe('quotes and escapes', () => {
  it('finds doubled quotes', () => {
    expect(detect('a,b\n"x ""y"", z",1\n').escape).toBe('double');
  });

  it('finds backslash escapes', () => {
    expect(detect('a,b\n"x \\"y\\", z",1\n"p \\"q\\", r",2\n')).toMatchObject({ escape: 'backslash', quote: '"' });
  });

  it('does not take a path that ends in a backslash for an escape', () => {
    expect(detect('a,b\n"C:\\temp\\",1\n"D:\\",2\n').escape).toBe('double');
  });

  it('finds single quotes where there are no double ones', () => {
    expect(detect("a,b\n'x, y',1\n'p, q',2\n").quote).toBe("'");
  });

  it('finds blanks between delimiter and quote', () => {
    expect(detect('a, "b"\n1, "x, y"\n2, "p, q"\n').skipSpace).toBe(true);
  });

  it('gives up quotes only when they break many rows', () => {
    const inches = Array.from({ length: 10 }, (_, i) => `${i},"${i}" pipe`).join('\n');
    expect(detect(`id,size\n${inches}\n`).quote).toBeNull();
    const oneBroken = `${Array.from({ length: 20 }, (_, i) => `${i},"ok, ${i}"`).join('\n')}\n99,"5" pipe\n`;
    expect(detect(`id,size\n${oneBroken}`).quote).toBe('"');
  });
});

describe('line ends', () => {
  it.each([
    ['lf', 'a\nb\n'],
    ['crlf', 'a\r\nb\r\n'],
    ['cr', 'a\rb\r'],
    ['any', 'a\rb\nc\rd\n'],
    ['lf', 'a'],
  ])('finds %s in %j', (lineEnd, text) => {
    expect(detectLineEnd(Buffer.from(text))).toBe(lineEnd);
  });
});
