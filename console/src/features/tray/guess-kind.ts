// Guesses the kind of a file: by an extension that only one kind has, by words that only one kind uses, else by the file's name. If nothing is
// obvious, the tray asks the person.
import type { Kind } from './kind.ts';

export interface Guess {
  readonly kind: Kind;
  readonly reason: string;
}

export function guessKind(head: string, filename: string, kinds: readonly Kind[]): Guess | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? '';
  const byEnding = kinds.find(({ endings }) => endings.includes(ending));
  if (byEnding) return { kind: byEnding, reason: `only ${byEnding.title} takes .${ending}` };
  const scores = kinds
    .map((kind) => {
      const hits = (kind.marks ?? []).filter(([mark]) => mark.test(head));
      return { kind, score: hits.reduce((sum, [, weight]) => sum + weight, 0), word: hits[0]?.[2] ?? '' };
    })
    .sort((a, b) => b.score - a.score);
  const [best, second] = scores;
  if (best && best.score >= 3 && best.score >= (second?.score ?? 0) * 2)
    return { kind: best.kind, reason: `the file has ${best.word}` };
  const named = kinds.filter((kind) => kind.filename?.test(filename));
  const only = named.length === 1 ? named[0] : undefined;
  return only && (best?.score ?? 0) === 0 ? { kind: only, reason: 'the file’s name says so' } : undefined;
}

/** The first lines of a file as text; UTF-16 is recognised by its mark. Zip containers (XLSX) give nothing. */
export function decodeHead(head: Uint8Array): string {
  if (head[0] === 0x50 && head[1] === 0x4b) return '';
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le').decode(head);
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be').decode(head);
  return new TextDecoder('utf-8').decode(head);
}
