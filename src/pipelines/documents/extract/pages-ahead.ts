// The pages that are parsed in one call of the library. It opens the file for every call, and opening costs in proportion to the number of pages: 0.1 s for
// 10,000 of them. And it tells the levels of headings by comparing the pages of the call: of 20 pages alone the largest heading is a chapter, though it
// may be a paragraph of one. So pages are parsed in large windows. Where these begin and end depends on the document alone and not on the time that it
// takes or the page from which a killed run goes on: the same file gets the same headings. A reader that comes after one that was lost parses only
// what it is asked for: the page at fault must be found.
import type { ParsedPage } from '@llamaindex/liteparse';
import type { ShownPage } from './upright-pages.ts';

export interface ParsedPages {
  readonly pages: ReadonlyMap<number, ParsedPage>;
  readonly errors: ReadonlyMap<number, string>;
  /** The pieces of text of a second reading, where the first one was quick. */
  readonly again: ReadonlyMap<number, ParsedPage['textItems']>;
  /** Pages that were turned to be read: how they are shown. */
  readonly shown?: ReadonlyMap<number, ShownPage>;
}

/** So many pages say how large a window may be. */
const FIRST = 20;
/** Six times what a page of a book takes: pages that take longer are parsed 20 at a time, because the time of the reader is limited. */
const QUICK_CPU_MS = 15;
const MAX_CHARS = 1_500_000;
const MAX_PAGES = 320;

interface PagesAheadOptions {
  readonly total: number;
  readonly isAhead: boolean;
  /** What this process has taken of the processors so far. */
  readonly cpuMs?: () => number;
}

export class PagesAhead {
  readonly #parse: (from: number, to: number) => Promise<ParsedPages>;
  readonly #options: PagesAheadOptions;
  #held: { readonly from: number; readonly to: number; readonly found: ParsedPages } | undefined;
  #window: number | undefined;

  constructor(parse: (from: number, to: number) => Promise<ParsedPages>, options: PagesAheadOptions) {
    this.#parse = parse;
    this.#options = options;
  }

  async get(from: number, to: number): Promise<ParsedPages> {
    if (!this.#options.isAhead) return this.#holdPages(from, to);
    this.#window ??= await this.#measure();
    const begin = Math.floor((from - 1) / this.#window) * this.#window + 1;
    return this.#holdPages(begin, Math.min(this.#options.total, Math.max(to, begin + this.#window - 1)));
  }

  /** Always by the first pages, wherever the reader begins. */
  async #measure(): Promise<number> {
    const last = Math.min(FIRST, this.#options.total);
    const { pages, cpuMs } = await this.#timed(1, last);
    const chars = [...pages.values()].reduce((sum, { text }) => sum + text.length, 0);
    const isSlow = (ms: number) => ms > QUICK_CPU_MS * last;
    // Of a large file it may be the opening that takes long: one page tells.
    if (last < this.#options.total && isSlow(cpuMs) && isSlow(cpuMs - (await this.#timed(1, 1)).cpuMs)) return FIRST;
    const most = Math.min(MAX_PAGES, MAX_CHARS / (chars / last + 1));
    return Math.max(FIRST, Math.floor(most / FIRST) * FIRST);
  }

  async #timed(from: number, to: number): Promise<ParsedPages & { cpuMs: number }> {
    this.#held = undefined;
    const { cpuMs = cpuOfProcess } = this.#options;
    const before = cpuMs();
    const found = await this.#holdPages(from, to);
    return { ...found, cpuMs: cpuMs() - before };
  }

  async #holdPages(from: number, to: number): Promise<ParsedPages> {
    const held = this.#held;
    if (held !== undefined && held.from <= from && held.to >= to) return held.found;
    // One window at a time: the memory of the process is limited.
    this.#held = undefined;
    const found = await this.#parse(from, to);
    this.#held = { from, to, found };
    return found;
  }
}

export function cpuOfProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
