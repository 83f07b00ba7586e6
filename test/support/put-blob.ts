// A process that stores one blob on disk and dies at the failpoint it is given: put-blob.ts ROOT KEY FAILPOINT
import { parseBlobKey } from '../../src/platform/blob/blob-key.ts';
import { DiskBlobStore } from '../../src/platform/blob/disk-blob-store.ts';
import { armFromText } from '../../src/platform/failpoints.ts';

const [, , root = '', key = '', name = ''] = process.argv;
armFromText(name);
const body = (async function* () {
  for (let line = 0; line < 50; line += 1) yield Buffer.alloc(65_536, 'a');
})();
await new DiskBlobStore({ root }).put(parseBlobKey(key), body, { maxBytes: 10_000_000 });
