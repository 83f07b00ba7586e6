// The readers that are compared, each as a person would call it on an unknown file: everything it can detect is left to it, every cell
// comes out as text, the first row it takes for names is the header.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { bytesSource } from '../../../src/tabular/byte-source.ts';
import { readTable } from '../../../src/tabular/read-table.ts';
import type { ReadResult } from './score.ts';

export interface Contender {
  readonly name: string;
  read(bytes: Buffer): Promise<ReadResult>;
  close(): Promise<void>;
}

const nothingToClose = async () => undefined;

export const millrace: Contender = {
  name: 'millrace',
  async read(bytes) {
    const table = await readTable(bytesSource(bytes));
    const { names } = table.reading.header.value;
    const rows: string[][] = [];
    for await (const batch of table.batches()) {
      for (const row of batch.dataRows()) {
        if (batch.fault(row) === null) rows.push(names.map((_, column) => batch.text(row, column)));
      }
    }
    return { names: table.reading.header.value.lines.length === 0 ? [] : names, rows };
  },
  close: nothingToClose,
};

const csvParse: Contender = {
  name: 'csv-parse',
  async read(bytes) {
    const options = {
      bom: true,
      delimiter: [',', ';', '\t', '|'],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    };
    const [names = [], ...rows] = parse(bytes, options) as string[][];
    return { names, rows };
  },
  close: nothingToClose,
};

interface Papa {
  parse(text: string, options: { skipEmptyLines: boolean }): { data: string[][] };
}

async function papaParse(): Promise<Contender> {
  const { default: papa } = (await import('papaparse' as string)) as { default: Papa };
  return {
    name: 'papaparse',
    async read(bytes) {
      const [names = [], ...rows] = papa.parse(bytes.toString('utf8').replace(/^\ufeff/, ''), {
        skipEmptyLines: true,
      }).data;
      return { names, rows };
    },
    close: nothingToClose,
  };
}

interface Duck {
  DuckDBInstance: {
    create(path: string): Promise<{
      connect(): Promise<{
        runAndReadAll(sql: string): Promise<{ columnNames(): string[]; getRows(): unknown[][] }>;
        closeSync(): void;
      }>;
    }>;
  };
}

async function duckDb(): Promise<Contender> {
  const { DuckDBInstance } = (await import('@duckdb/node-api' as string)) as Duck;
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-bench-'));
  const file = path.join(folder, 'file.csv');
  return {
    name: 'duckdb',
    async read(bytes) {
      writeFileSync(file, bytes);
      const sql = `select * from read_csv('${file}', all_varchar = true, ignore_errors = true, null_padding = true)`;
      const answer = await connection.runAndReadAll(sql);
      return {
        names: answer.columnNames(),
        rows: answer.getRows().map((row) => row.map((cell) => (cell === null ? '' : String(cell)))),
      };
    },
    async close() {
      connection.closeSync();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Those whose packages run here. */
export async function openPeers(say: (line: string) => void): Promise<Contender[]> {
  const peers: Contender[] = [csvParse];
  for (const open of [papaParse, duckDb]) {
    try {
      peers.push(await open());
    } catch (error) {
      say(`left out: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return peers;
}
