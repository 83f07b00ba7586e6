// Tells the intake which table format a file has and whether its name agrees, from the first bytes, while the rest is still arriving. A file that is
// no table is refused with the reason.
import { type ContentKind, checkExtension, refuseContent, sniffContent } from './sniff-content.ts';

export interface TableFile {
  readonly format: 'csv' | 'json' | 'ndjson' | 'xlsx';
  readonly mediaType: string;
  /** The names such a file may have. */
  readonly extensions: readonly string[];
}

const jsonNames = ['json', 'jsonl', 'ndjson', 'txt'];

const tables: Readonly<Partial<Record<ContentKind, TableFile>>> = {
  text: { format: 'csv', mediaType: 'text/csv', extensions: ['csv', 'tsv', 'tab', 'txt'] },
  json: { format: 'json', mediaType: 'application/json', extensions: jsonNames },
  ndjson: { format: 'ndjson', mediaType: 'application/x-ndjson', extensions: jsonNames },
  xlsx: {
    format: 'xlsx',
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extensions: ['xlsx', 'xlsm'],
  },
};

/** Throws the reason when the file is no table, or not what its name says. */
export function sniffTableFile(head: Uint8Array, fileName: string): TableFile {
  const kind = sniffContent(head);
  if (kind === 'empty') refuseContent(kind);
  checkExtension(fileName, kind);
  return tables[kind] ?? refuseContent(kind);
}
