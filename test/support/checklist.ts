// A page in docs/ names a test for each line of its tables: each of them must be there.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Every line of its tables but their heads and rules must name a test: a line that names none is a clause that nothing holds. */
function rowsOf(page: string) {
  return readFileSync(`${root}docs/${page}`, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (?:line|clause|promise) \| test \| file \|$/.test(line))
    .map((line) => {
      const [, what = line, title = '', file = ''] = /^\| (.+?) \| `(.+?)` \| (\S+) \|$/.exec(line) ?? [];
      return { what, title, file };
    });
}

export function describeChecklists(pages: readonly (readonly [page: string, least: number])[]): void {
  describe.each(pages)('%s', (page, least) => {
    const rows = rowsOf(page);
    it('has its lines', () => {
      expect(rows.length).toBeGreaterThanOrEqual(least);
    });

    it.each(rows)('$what', ({ title, file }) => {
      expect(file, 'a line names a test and its file').not.toBe('');
      const text = readFileSync(`${root}${file}`, 'utf8');
      // it('…'), it("…"), or a table of tests: it.each(…)('…').
      const ways = [`it('${title}'`, `it("${title}"`, `)('${title}'`, `  '${title}',`];
      expect(ways.some((way) => text.includes(way))).toBe(true);
    });
  });
}
