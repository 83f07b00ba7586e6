// What a file can be doubted for, by code, in a sentence that says nothing of the file itself: for those who may not be told what it holds, as webhooks.
// The message of a doubt says the same of one file, with its names and lines.

export const doubtMeanings = {
  rows_set_aside: 'Lines that look like rows were set aside as totals or notes and are not read.',
  other_table: 'The file holds a second table or list that is not read.',
  header_doubtful: 'It is not sure which line names the columns.',
  header_does_not_fit: 'A later line names the columns again in another way; the lines below it are not read.',
  no_header: 'No names of columns were found.',
  unnamed_columns: 'Rows are wider than the header; unnamed columns were added.',
  rows_padded: 'Rows are shorter than the header; their last cells are read as empty.',
  delimiter_doubtful: 'Another sign may part the cells.',
  delimiters_mixed: 'Two signs part the cells of the file; it is read by one of them.',
  encoding_doubtful: 'The text may be in another encoding.',
  text_encoded_twice: 'The text looks as if it was encoded twice.',
  sheet_doubtful: 'Another sheet of the workbook holds a table as well and is not read.',
  workbook_hides_rows: 'The workbook hides rows; they are read like the others.',
  workbook_hides_columns: 'The workbook hides columns; they are read like the others.',
  workbook_hides_sheets: 'The workbook hides sheets, of which one is read or none.',
  workbook_uncomputed: 'Cells of the workbook hold formulas without results; they are read as empty.',
  workbook_merges_rows: 'The workbook merges cells over several rows; only the first of them has the value.',
  numbers_doubtful: 'The decimal sign of the numbers is not sure.',
  measure_unmapped: 'A column looks like a measure and is not read as one.',
  column_twice: 'Two columns may be the same field and hold different values; the first one is read.',
  totals_among_rows: 'Rows of all parts stand among the rows of the parts: added up, they count twice.',
  groups_named_once: 'A name may stand once for several rows; the cells below it are read as empty.',
  measure_twice: 'Two columns look like the same measure and hold different values.',
  measure_missing: 'Stored numbers had values that the file does not tell; they are unknown now.',
  total_differs: 'The total row of the file differs from its rows.',
  copies_not_recognised: 'The file has more different rows than are compared: copies may have been processed again.',
} as const satisfies Readonly<Record<string, string>>;

export type DoubtCode = keyof typeof doubtMeanings;

/** A doubt as the receipt keeps it. */
export interface NotedDoubt {
  readonly code: DoubtCode;
  readonly message: string;
  readonly rows_at_stake: number;
  readonly lines: readonly number[];
}
