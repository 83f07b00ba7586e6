// Texts that mean "no value" in exports. A marker is never 0: it becomes unknown, with a warning where a number was expected.

/** Read as "no value" in every column. Google writes ` --`, TikTok `-`, others dashes of other lengths; databases dump `\\N`. */
const dashes = ['-', '--', '---', '–', '—', '\\N'];
/** Read as "no value" where a number or a date is expected; in a name column "NA" may well be a region. */
const words = [
  'n/a',
  'na',
  'n.a.',
  '..',
  '...',
  'nan',
  'null',
  'nil',
  'none',
  '(not set)',
  '(none)',
  '#n/a',
  '#div/0!',
  '#value!',
  '#ref!',
  '#num!',
  '#null!',
];

const defaultTextMarkers: readonly string[] = dashes;
const defaultValueMarkers: readonly string[] = [...dashes, ...words];

/** Compares markers without case and surrounding blanks. */
export class EmptyMarkers {
  readonly #markers: ReadonlySet<string>;
  readonly #longest: number;

  constructor(markers: readonly string[]) {
    this.#markers = new Set(markers.map((marker) => marker.trim().toLowerCase()));
    this.#longest = Math.max(0, ...markers.map((marker) => marker.length));
  }

  /** `text` must be trimmed. */
  has(text: string): boolean {
    return text.length <= this.#longest && this.#markers.has(text.toLowerCase());
  }
}

export const valueMarkers = new EmptyMarkers(defaultValueMarkers);
export const textMarkers = new EmptyMarkers(defaultTextMarkers);
