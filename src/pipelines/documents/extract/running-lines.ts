// Headers and footers: the first or last block of most pages of a batch, alike from page to page. Their numbers stay as they are or count the pages:
// "Customer 4711" on one page and "Customer 4724" on the next are no header, and must be found.
import type { ReadPage } from './page.ts';

const MIN_PAGES = 5;
const MIN_SHARE = 0.6;
const MAX_CHARS = 120;

interface Edge {
  readonly pageNo: number;
  readonly numbers: readonly string[];
}

export function markRunning(pages: readonly ReadPage[]): ReadPage[] {
  const readable = pages.filter(({ blocks }) => blocks.length > 1);
  if (readable.length < MIN_PAGES) return [...pages];
  const alike = new Map<string, Edge[]>();
  for (const { blocks, pageNo } of readable) {
    const texts = new Map([blocks[0], blocks.at(-1)].map((block) => [patternOf(block?.text ?? ''), block?.text ?? '']));
    for (const [pattern, text] of texts)
      alike.set(pattern, [...(alike.get(pattern) ?? []), { pageNo, numbers: numbersOf(text) }]);
  }
  const needed = readable.length * MIN_SHARE;
  const running = new Set([...alike].filter(([, edges]) => repeats(edges, needed)).map(([pattern]) => pattern));
  const isRunning = (text: string) => text.length <= MAX_CHARS && running.has(patternOf(text));
  return pages.map((page) => ({
    ...page,
    blocks: page.blocks.map((block, index) => {
      const isEdge = (index === 0 || index === page.blocks.length - 1) && page.blocks.length > 1;
      return isEdge && isRunning(block.text) ? { ...block, kind: 'running' as const } : block;
    }),
  }));
}

/** On enough pages, and each of its numbers stays or goes with the page on enough of them. */
function repeats(edges: readonly Edge[], needed: number): boolean {
  if (edges.length < needed) return false;
  return (edges[0]?.numbers ?? []).every((_, at) => {
    const same = commonest(edges.map(({ numbers }) => numbers[at] ?? ''));
    const counting = commonest(edges.map(({ numbers, pageNo }) => String(Number(numbers[at]) - pageNo)));
    return Math.max(same, counting) >= needed;
  });
}

function commonest(values: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Math.max(...counts.values());
}

function numbersOf(text: string): string[] {
  return text.match(/\d+/g) ?? [];
}

function patternOf(text: string): string {
  return text.replace(/\d+/g, '#').replace(/\s+/g, ' ').trim().toLowerCase();
}
