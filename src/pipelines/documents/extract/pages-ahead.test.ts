// Which pages are parsed together.
import { describe, expect, it } from 'vitest';
import { PagesAhead, type ParsedPages } from './pages-ahead.ts';

function reader(total: number, { isAhead = true, chars = 3_000, pageMs = 3, openMs = 0 } = {}) {
  const calls: string[] = [];
  let spent = 0;
  const parse = async (from: number, to: number): Promise<ParsedPages> => {
    calls.push(`${from}-${to}`);
    spent += openMs + (to - from + 1) * pageMs;
    const pages = Array.from({ length: to - from + 1 }, (_, at) => [from + at, { text: 'x'.repeat(chars) }] as const);
    return { pages: new Map(pages) as unknown as ParsedPages['pages'], errors: new Map(), again: new Map() };
  };
  const ahead = new PagesAhead(parse, { total, isAhead, cpuMs: () => spent });
  const readFrom = async (first: number) => {
    for (let from = first; from <= total; from += 20) {
      const to = Math.min(total, from + 19);
      const { pages } = await ahead.get(from, to);
      for (let page = from; page <= to; page += 1) expect(pages.has(page)).toBe(true);
    }
    return calls;
  };
  return { readFrom };
}

describe('pages that are parsed together', () => {
  it('are the same wherever a reader begins: headings are told apart by comparing the pages of one call', async () => {
    expect(await reader(700).readFrom(1)).toEqual(['1-20', '1-320', '321-640', '641-700']);
    expect(await reader(700).readFrom(361)).toEqual(['1-20', '321-640', '641-700']);
    expect(await reader(12).readFrom(1)).toEqual(['1-12']);
  });

  it('are fewer of a document whose pages take long or hold much', async () => {
    expect(await reader(60, { pageMs: 16 }).readFrom(1)).toEqual(['1-20', '1-1', '1-20', '21-40', '41-60']);
    expect(await reader(60, { chars: 30_000 }).readFrom(1)).toEqual(['1-20', '1-40', '41-60']);
  });

  it('are many of a file whose opening takes long', async () => {
    expect(await reader(60, { openMs: 310 }).readFrom(1)).toEqual(['1-20', '1-1', '1-60']);
  });

  it('are those asked for, and no others, after a reader was lost', async () => {
    expect(await reader(60, { isAhead: false }).readFrom(21)).toEqual(['21-40', '41-60']);
  });
});
