// Where places in converted text stand in the original file, to the byte. The stream itself knows this for the starts of lines only, which
// is enough for delimited text; records of JSON start anywhere.
import { encodedLength } from './decode-text.ts';
import type { Utf8Stream } from './utf8-stream.ts';
import type { Window } from './windows.ts';

export class OriginalOffsets {
  readonly #stream: Utf8Stream;
  readonly #encoding: string;
  #known = new Map<number, number>();
  #position = 0;
  #original: number;

  constructor(stream: Utf8Stream, encoding: string) {
    this.#stream = stream;
    this.#encoding = encoding;
    this.#original = stream.originalOffset(0);
  }

  /**
   * Looks up places of the stream: in the window, or known from an earlier call. All others are forgotten. `end`: where the next window
   * starts.
   */
  locate({ bytes, streamStart, isLast }: Window, places: readonly number[], end: number): void {
    const before = this.#known;
    this.#known = new Map();
    for (const place of [...places, end].sort((a, b) => a - b)) {
      const known = before.get(place);
      if (known === undefined) this.#advance(bytes, streamStart, place);
      this.#known.set(place, known ?? this.#original);
    }
    // Also lets the stream forget the lines that were passed.
    const ofLine = this.#stream.originalOffset(end);
    if (isLast) this.#known.set(end, ofLine);
  }

  of(place: number): number {
    if (this.#stream.isOriginal) return this.#stream.originalOffset(place);
    return this.#known.get(place) ?? this.#original;
  }

  #advance(bytes: Buffer, streamStart: number, place: number): void {
    if (place <= this.#position) return;
    const text = bytes.toString('utf8', this.#position - streamStart, place - streamStart);
    const length = encodedLength(text, this.#encoding);
    this.#original = length === null ? this.#stream.originalOffset(place) : this.#original + length;
    this.#position = place;
  }
}
