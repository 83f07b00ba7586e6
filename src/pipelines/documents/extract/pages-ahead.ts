// The library opens the file for every call, and opening costs in proportion to the number of pages: 0.1 s for 10,000 of them, so that 20
// pages at a time took 50 s for opening alone. Pages that are parsed quickly are therefore parsed ahead, ever more at a time, and kept until
// they are asked for. A reader that comes after one that was lost parses only what it is asked for: the page at fault must be found.
import type { ParsedPage } from '@llamaindex/liteparse';

export interface ParsedPages {
  readonly pages: ReadonlyMap<number, ParsedPage>;
  readonly errors: ReadonlyMap<number, string>;
}

/** A call that took longer, or brought more text, is not made larger: time and memory of the process are limited. */
const QUICK_MS = 1_000;
const MAX_CHARS = 1_000_000;
const MAX_PAGES = 320;

export class PagesAhead {
  readonly #parse: (from: number, to: number) => Promise<ParsedPages>;
  readonly #options: { readonly total: number; readonly isAhead: boolean };
  #held: { readonly from: number; readonly to: number; readonly found: ParsedPages } | undefined;
  #next = 0;

  constructor(
    parse: (from: number, to: number) => Promise<ParsedPages>,
    options: { readonly total: number; readonly isAhead: boolean },
  ) {
    this.#parse = parse;
    this.#options = options;
  }

  async get(from: number, to: number): Promise<ParsedPages> {
    const held = this.#held;
    if (held !== undefined && held.from <= from && held.to >= to) return held.found;
    const last = Math.min(this.#options.total, Math.max(to, from + this.#next - 1));
    this.#held = undefined;
    const startedAt = performance.now();
    const found = await this.#parse(from, last);
    this.#held = { from, to: last, found };
    this.#next = this.#options.isAhead ? nextCount(last - from + 1, performance.now() - startedAt, found) : 0;
    return found;
  }
}

function nextCount(count: number, tookMs: number, { pages }: ParsedPages): number {
  const chars = [...pages.values()].reduce((sum, { text }) => sum + text.length, 0);
  return tookMs > QUICK_MS || chars > MAX_CHARS ? 0 : Math.min(MAX_PAGES, count * 2);
}
