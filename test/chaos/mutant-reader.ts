// A process that reads the files it is sent by the built reader and answers with what came of each. It may die; that is counted.
import type { MillraceError as Known } from '../../src/contract/errors/millrace-error.ts';
import type * as ByteSource from '../../src/tabular/byte-source.ts';
import type * as ReadTable from '../../src/tabular/read-table.ts';

const built = (file: string) => import(new URL(`../../dist/${file}`, import.meta.url).href);
const { bytesSource } = (await built('tabular/byte-source.js')) as typeof ByteSource;
const { readTable } = (await built('tabular/read-table.js')) as typeof ReadTable;
const { MillraceError } = (await built('contract/errors/millrace-error.js')) as { MillraceError: typeof Known };

/** "n rows", the code of a catalogued error, or "!" and what it was instead. */
async function read(bytes: Buffer): Promise<string> {
  try {
    const table = await readTable(bytesSource(bytes, 512), { batchBytes: 1_024 });
    for await (const batch of table.batches()) for (let row = 0; row < batch.rowCount; row++) batch.texts(row);
    return 'rows';
  } catch (error) {
    if (error instanceof MillraceError && error.kind === 'input') return error.code;
    return `! ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
}

process.on('message', async ({ id, base64 }: { id: number; base64: string }) => {
  process.send?.({ id, outcome: await read(Buffer.from(base64, 'base64')) });
});
process.on('disconnect', () => process.exit(0));
process.send?.({ id: -1, outcome: 'ready' });
