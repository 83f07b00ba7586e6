// The limits of a file: beyond them the reader refuses it with a typed error. Every limit is a setting; the defaults hold every
// export seen so far with a wide margin and stop the known attacks (one endless line, a million columns, bombs) early.

export interface TableLimits {
  /** Longest row in bytes (after conversion to UTF-8). An unclosed quote is given up at this length. */
  readonly maxRowBytes: number;
  /** Most columns of a row; Excel itself stops at 16,384. */
  readonly maxColumns: number;
  /** Deepest nesting of JSON. */
  readonly maxDepth: number;
  /** Bytes that may be scanned twice because of quotes that are never closed. */
  readonly maxRescanBytes: number;
  readonly spreadsheet: SpreadsheetLimits;
}

export interface SpreadsheetLimits {
  /** Most entries of the zip archive. */
  readonly maxEntries: number;
  /** Most bytes that the entries in use may unpack to, together. Counted while unpacking: declared sizes lie. */
  readonly maxInflatedBytes: number;
  /** Unpacked to packed, once 16 MiB were unpacked. Real sheets stay below 60; deflate cannot exceed 1032. */
  readonly maxInflateRatio: number;
  /** Most bytes of distinct texts of the workbook (its shared strings). */
  readonly maxSharedStringBytes: number;
  /** Cells that are only there because a row skips columns. */
  readonly maxGapCells: number;
  /** V8 heap of the reading process. */
  readonly maxHeapMb: number;
  /** Resident memory of the reading process; above it the process is killed. */
  readonly maxResidentMb: number;
  /** Longest wait for the next rows while we are ready to take them. */
  readonly stallMs: number;
  /** All such waits of one reading together. Time that the taker of the rows needs does not count. */
  readonly maxWaitMs: number;
}

export const defaultLimits: TableLimits = {
  maxRowBytes: 1024 * 1024,
  maxColumns: 16_384,
  maxDepth: 64,
  maxRescanBytes: 64 * 1024 * 1024,
  spreadsheet: {
    maxEntries: 5_000,
    maxInflatedBytes: 4 * 1024 * 1024 * 1024,
    maxInflateRatio: 300,
    maxSharedStringBytes: 128 * 1024 * 1024,
    maxGapCells: 20_000_000,
    maxHeapMb: 192,
    maxResidentMb: 480,
    stallMs: 20_000,
    maxWaitMs: 600_000,
  },
};

/** The defaults with some limits replaced. */
export function withLimits(
  changes: Partial<Omit<TableLimits, 'spreadsheet'>> & { spreadsheet?: Partial<SpreadsheetLimits> } = {},
): TableLimits {
  return { ...defaultLimits, ...changes, spreadsheet: { ...defaultLimits.spreadsheet, ...changes.spreadsheet } };
}
