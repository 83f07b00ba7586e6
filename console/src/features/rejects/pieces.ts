// The refused rows come in pieces of equal size. Which pieces a view needs, and what is known of the whole from those that are here.

export interface Piece<Row> {
  readonly rows: readonly Row[];
  /** Nothing comes after it. */
  readonly isLast: boolean;
}

export type Pieces<Row> = ReadonlyMap<number, Piece<Row>>;

/** The pieces that hold rows `first` to `last`. */
export function piecesOf(first: number, last: number, size: number): number[] {
  const from = Math.max(0, Math.floor(first / size));
  const to = Math.max(from, Math.floor(last / size));
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

export function rowAt<Row>(pieces: Pieces<Row>, index: number, size: number): Row | undefined {
  return pieces.get(Math.floor(index / size))?.rows[index % size];
}

/** How many rows there are: certain once the last piece is here, until then as many as were counted, and never fewer than are here. */
export function lengthOf<Row>(pieces: Pieces<Row>, counted: number, size: number): number {
  let here = 0;
  for (const [number, { rows, isLast }] of pieces) {
    if (isLast && (rows.length > 0 || number === 0)) return number * size + rows.length;
    here = Math.max(here, number * size + rows.length);
  }
  return Math.max(counted, here);
}
