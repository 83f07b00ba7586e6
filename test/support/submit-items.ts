// A job submitted without the API: bytes into the store, then the way every file takes.
import { recordBlob } from '../../src/engine/blobs/blobs.ts';
import { storeFile } from '../../src/engine/blobs/store-file.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { acceptJob } from '../../src/pipelines/items/accept-job.ts';
import type { ItemsDeps } from '../../src/pipelines/items/deps.ts';
import { silentLog } from '../../src/platform/log.ts';
import { sniffTableFile } from '../../src/tabular/content/table-file.ts';

export async function submitItems(
  engine: Engine,
  deps: ItemsDeps,
  order: {
    readonly tenantId: string;
    readonly processor: string;
    readonly body: AsyncIterable<Uint8Array>;
    readonly duplicates?: 'skip' | 'process';
    readonly options?: Record<string, unknown>;
  },
): Promise<string> {
  const { tenantId, processor, body, duplicates = 'process', options } = order;
  const file = await storeFile(deps.store, {
    tenantId,
    fileName: 'rows.csv',
    body,
    maxBytes: 8 * 1024 ** 3,
    sniff: sniffTableFile,
  });
  await recordBlob(engine.pools.control, file);
  const { runId } = await acceptJob(
    { engine, log: silentLog, deps },
    {
      tenantId,
      file,
      processor,
      duplicates,
      onDoubt: 'proceed',
      ...(options === undefined ? {} : { options: JSON.stringify(options) }),
    },
  );
  return runId;
}

export async function* csvRows(rows: number, columns = 1, tag = ''): AsyncGenerator<Buffer> {
  const names = ['n', ...Array.from({ length: columns - 1 }, (_, at) => `field ${at + 1}`)];
  let text = `${names.join(',')}\n`;
  for (let row = 0; row < rows; row += 1) {
    text += `${tag}${row}`;
    for (let column = 1; column < columns; column += 1)
      text += `,value ${(row * 31 + column * 7) % 9_973} of ${column}`;
    text += '\n';
    if (text.length < 256 * 1024) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}
