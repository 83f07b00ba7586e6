// The tokenizer of BERT and its descendants (MiniLM, bge, e5, gte), read from a tokenizer.json: words are cut into the longest pieces the
// vocabulary has. Words repeat, so their pieces are remembered.

export interface WordPieceOptions {
  readonly vocabulary: Readonly<Record<string, number>>;
  readonly isLowercase: boolean;
  readonly prefix?: string;
  readonly unknown?: string;
}

const MAX_WORD_CHARS = 100;
const MAX_REMEMBERED = 50_000;
/** Ideographs have no spaces between them: each is a word. */
const ideograph = /[\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF]|[\uD840-\uD87F][\uDC00-\uDFFF]/gu;
const pieces = /[\p{P}\p{S}]|[^\s\p{P}\p{S}]+/gu;

export class WordPiece {
  readonly #vocabulary: ReadonlyMap<string, number>;
  readonly #options: Required<Pick<WordPieceOptions, 'isLowercase' | 'prefix'>>;
  readonly #unknown: number;
  readonly #remembered = new Map<string, readonly number[]>();
  readonly start: number;
  readonly end: number;

  constructor({ vocabulary, isLowercase, prefix = '##', unknown = '[UNK]' }: WordPieceOptions) {
    this.#vocabulary = new Map(Object.entries(vocabulary));
    this.#options = { isLowercase, prefix };
    this.#unknown = this.#id(unknown);
    this.start = this.#id('[CLS]');
    this.end = this.#id('[SEP]');
  }

  static fromJson(json: unknown): WordPiece {
    const { model, normalizer } = json as {
      model?: { type?: string; vocab?: Record<string, number>; continuing_subword_prefix?: string; unk_token?: string };
      normalizer?: { lowercase?: boolean } | null;
    };
    if (model?.vocab === undefined || (model.type !== undefined && model.type !== 'WordPiece'))
      throw new Error(`its tokenizer is ${model?.type ?? 'unknown'}, only WordPiece can be used`);
    return new WordPiece({
      vocabulary: model.vocab,
      isLowercase: normalizer?.lowercase ?? true,
      ...(model.continuing_subword_prefix === undefined ? {} : { prefix: model.continuing_subword_prefix }),
      ...(model.unk_token === undefined ? {} : { unknown: model.unk_token }),
    });
  }

  count(text: string): number {
    let count = 0;
    for (const word of this.#words(text)) count += this.#piecesOf(word).length;
    return count;
  }

  /** Of the pieces of a text, the share that the vocabulary does not have. */
  unknownShare(text: string): number {
    const ids = this.#words(text).flatMap((word) => this.#piecesOf(word));
    return ids.length === 0 ? 0 : ids.filter((id) => id === this.#unknown).length / ids.length;
  }

  /** With the tokens that begin and end a text, cut to `max`. */
  encode(text: string, max: number): number[] {
    const ids = [this.start];
    for (const word of this.#words(text)) {
      for (const id of this.#piecesOf(word)) {
        if (ids.length === max - 1) return [...ids, this.end];
        ids.push(id);
      }
    }
    return [...ids, this.end];
  }

  #words(text: string): readonly string[] {
    const spaced = text.replace(ideograph, ' $& ').replace(/\p{Cc}|\uFFFD/gu, ' ');
    const plain = this.#options.isLowercase
      ? spaced
          .toLowerCase()
          .normalize('NFD')
          .replace(/\p{Mn}/gu, '')
      : spaced;
    return plain.match(pieces) ?? [];
  }

  #piecesOf(word: string): readonly number[] {
    const known = this.#remembered.get(word);
    if (known !== undefined) return known;
    const ids = this.#cut(word);
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(word, ids);
    return ids;
  }

  #cut(word: string): readonly number[] {
    if (word.length > MAX_WORD_CHARS) return [this.#unknown];
    const ids: number[] = [];
    for (let from = 0; from < word.length; ) {
      let to = word.length;
      let id: number | undefined;
      for (; to > from; to--) {
        const piece = word.slice(from, to);
        id = this.#vocabulary.get(from === 0 ? piece : this.#options.prefix + piece);
        if (id !== undefined) break;
      }
      if (id === undefined) return [this.#unknown];
      ids.push(id);
      from = to;
    }
    return ids;
  }

  #id(token: string): number {
    const id = this.#vocabulary.get(token);
    if (id === undefined) throw new Error(`its vocabulary has no ${token}`);
    return id;
  }
}
