// The readers of tables as they are built, for tests that read many workbooks: each is read by a process of its own, which from the
// sources would have to be compiled as it starts.
import { compiledProgram } from './programs.ts';

const table: typeof import('../../src/tabular/read-table.ts') = await import(
  compiledProgram('src/tabular/read-table.ts')
);
const xlsx: typeof import('../../src/tabular/xlsx/read-xlsx.ts') = await import(
  compiledProgram('src/tabular/xlsx/read-xlsx.ts')
);
const process: typeof import('../../src/tabular/xlsx/spreadsheet-process.ts') = await import(
  compiledProgram('src/tabular/xlsx/spreadsheet-process.ts')
);

export const { readTable } = table;
export const { readXlsx } = xlsx;
export const { openSpreadsheet } = process;
