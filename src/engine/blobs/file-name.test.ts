// Names of files as data: whatever was sent, what is shown is one harmless line of text.
import { describe, expect, it } from 'vitest';
import { displayName, extensionOf } from './file-name.ts';

describe('the shown name', () => {
  it.each([
    ['report.csv', 'report.csv'],
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\windows\\system32\\config.csv', 'config.csv'],
    ['C:\\Users\\me\\March report.csv', 'March report.csv'],
    ['/absolute/x.csv', 'x.csv'],
    ['a\0b.csv', 'ab.csv'],
    ['line\r\nbreak.csv', 'linebreak.csv'],
    ['gpj.\u202evsc.exe', 'gpj.vsc.exe'],
    ['zero\u200bwidth\ufeff.csv', 'zerowidth.csv'],
    ['  spaces   inside .csv  ', 'spaces inside .csv'],
    ['Ü\u0308bersicht.csv', 'Ü\u0308bersicht.csv'],
    ['U\u0308ber.csv', 'Über.csv'],
    ['日本語.csv', '日本語.csv'],
    ['<script>alert(1)</script>.csv', 'script>.csv'],
    ['CON', 'CON'],
    ['.htaccess', '.htaccess'],
  ])('of %j is %j', (sent, shown) => {
    expect(displayName(sent)).toBe(shown);
  });

  it.each(['', '.', '..', '...', '/', 'a/', '\\', '\u202e', ' \t\r\n ', '\0'])('of %j is none', (sent) => {
    expect(displayName(sent)).toBeUndefined();
  });

  it('is at most 200 characters and keeps its extension', () => {
    const shown = displayName(`${'ä'.repeat(5_000)}.csv`) ?? '';
    expect(Array.from(shown)).toHaveLength(200);
    expect(shown.endsWith('….csv')).toBe(true);
  });

  it('is not cut in the middle of a character', () => {
    const shown = displayName('😀'.repeat(500)) ?? '';
    expect(shown).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });
});

describe('the extension', () => {
  it.each([
    ['a.csv', 'csv'],
    ['A.CSV', 'csv'],
    ['a.tar.gz', 'gz'],
    ['a', ''],
    ['a.', ''],
    ['a.c sv', ''],
    ['a.verylongextension', ''],
  ])('of %j is %j', (name, extension) => {
    expect(extensionOf(name)).toBe(extension);
  });
});
