// The library renders paragraphs and list items as Markdown: emphasis and code in marks, special characters behind a backslash. A page has
// neither, and a quote must stand on its page as it is cited. Marks that are printed on the page stay: the text layer says which those are.

/** An escaped character, or a run of marks. Literal asterisks and underscores come escaped, literal backticks do not. */
const rendered = /\\([\\`*_[\]~<>#!|])|\*+|`+/g;
const marks = /(?<!\\)[*`]+/;
/** So many characters beside a mark tell whether the page has it there. */
const BESIDE = 6;
/** Enough text around a mark to have that many characters left. */
const AROUND = 60;
/** A text layer beyond this (no page that a person wrote) is not searched for each mark. */
const MOST_CHARS = 100_000;

export interface TextLayer {
  /** Without white space: blocks and text layer break lines differently. */
  readonly squeezed: string;
  /** It may hold asterisks or backticks of its own. */
  readonly hasMarks: boolean;
}

export function textLayerOf(text: string): TextLayer {
  return { squeezed: squeeze(text), hasMarks: text.length <= MOST_CHARS && /[*`]/.test(text) };
}

export function plainText(text: string, layer: TextLayer): string {
  return text.replace(rendered, (mark: string, escaped: string | undefined, at: number) => {
    if (escaped !== undefined) return escaped;
    if (!layer.hasMarks) return '';
    // As far as the next mark, which may itself be of the page or not.
    const before = squeeze(
      unescaped(
        text
          .slice(Math.max(0, at - AROUND), at)
          .split(marks)
          .at(-1) ?? '',
      ),
    );
    const after = squeeze(unescaped(text.slice(at + mark.length, at + mark.length + AROUND).split(marks)[0] ?? ''));
    return layer.squeezed.includes(before.slice(-BESIDE) + mark + after.slice(0, BESIDE)) ? mark : '';
  });
}

function unescaped(text: string): string {
  return text.replace(rendered, (_, escaped: string | undefined) => escaped ?? '');
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, '');
}
