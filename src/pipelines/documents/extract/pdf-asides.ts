// What a PDF contains that is never used: embedded files, scripts, actions that reach outside. Found by their names in the bytes and in
// compressed object streams; nothing of it is opened. It is only said, so a name that is hidden better costs a note and nothing else.
import { readFile } from 'node:fs/promises';
import { inflateSync } from 'node:zlib';

const kinds: readonly (readonly [note: string, names: readonly string[]])[] = [
  ['embedded files were ignored', ['/EmbeddedFile', '/Filespec']],
  ['scripts were not run', ['/JavaScript', '/JS ', '/JS(', '/JS<']],
  ['comments on the pages were not read', ['/FreeText', '/Subtype /Text', '/Subtype/Text', '/Popup']],
  ['tick boxes of forms were not read', ['/FT /Btn', '/FT/Btn']],
  ['the XFA form was not read', ['/XFA']],
  ['external references were not fetched', ['/GoToR', '/Launch', '/ImportData', '/SubmitForm']],
];

const MAX_STREAM_BYTES = 4 * 1024 ** 2;
const MAX_INFLATED_BYTES = 32 * 1024 ** 2;
/** From the name to the stream that belongs to it stands one small dictionary. */
const MAX_DICTIONARY = 1_000;

export async function findAsides(path: string): Promise<string[]> {
  const bytes = await readFile(path);
  const found = new Set<string>();
  look(bytes, found);
  let inflated = 0;
  for (const stream of objectStreams(bytes)) {
    if (found.size === kinds.length || inflated > MAX_INFLATED_BYTES) break;
    const content = inflate(stream);
    inflated += content.length;
    look(content, found);
  }
  return kinds.map(([note]) => note).filter((note) => found.has(note));
}

function look(bytes: Buffer, found: Set<string>): void {
  for (const [note, names] of kinds) if (names.some((name) => bytes.includes(name, 0, 'latin1'))) found.add(note);
}

function* objectStreams(bytes: Buffer): Generator<Buffer> {
  for (let at = bytes.indexOf('/ObjStm'); at >= 0; at = bytes.indexOf('/ObjStm', at + 7)) {
    const word = bytes.indexOf('stream', at);
    if (word < 0 || word - at > MAX_DICTIONARY) continue;
    const start = word + 6 + (bytes[word + 6] === 13 ? 2 : 1);
    const end = bytes.indexOf('endstream', start);
    if (end > start) yield bytes.subarray(start, end);
  }
}

function inflate(stream: Buffer): Buffer {
  try {
    return inflateSync(stream, { maxOutputLength: MAX_STREAM_BYTES });
  } catch {
    return Buffer.alloc(0);
  }
}
