// Directories of a server or a disk as one ordered listing: each directory is sorted by what its entries' keys begin with, a directory as
// "name/", and entered where it stands. Only the directories on the way down are in memory.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { isTemporaryName } from './folder/temporary-names.ts';
import { compareKeys, type PlacedObject } from './place.ts';

export interface Entry {
  readonly name: string;
  readonly isDirectory: boolean;
  /** Links, pipes, devices: neither listed nor followed. */
  readonly isFile: boolean;
  readonly bytes: number;
  readonly modifiedAt: Date | null;
  /** What else tells one content from another. */
  readonly mark: string;
}

export interface Walk {
  readonly prefix: string;
  readonly after: string | null;
  /** Entries of a directory below the root; '' is the root itself. */
  readonly entries: (directory: string) => Promise<readonly Entry[]>;
  readonly signal: AbortSignal;
}

/** The directories beside and below what was typed so far. */
export async function directoriesBelow(
  prefix: string,
  limit: number,
  entries: (directory: string) => Promise<readonly Entry[]>,
): Promise<string[]> {
  const directory = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const found = await entries(directory);
  return found
    .filter((entry) => entry.isDirectory && isWanted(entry))
    .map(({ name }) => `${directory}${name}/`)
    .filter((key) => key.startsWith(prefix))
    .sort(compareKeys)
    .slice(0, limit);
}

const PAGE = 500;
const MAX_DEPTH = 64;
const MAX_ENTRIES = 2_000_000;

export async function* walkDirectories(walk: Walk): AsyncGenerator<readonly PlacedObject[]> {
  let page: PlacedObject[] = [];
  for await (const object of enter(walk, '', 0)) {
    page.push(object);
    if (page.length === PAGE) {
      yield page;
      page = [];
    }
  }
  if (page.length > 0) yield page;
}

async function* enter(walk: Walk, directory: string, depth: number): AsyncGenerator<PlacedObject> {
  walk.signal.throwIfAborted();
  if (depth > MAX_DEPTH)
    throw new MillraceError('source_listing_unusable', {
      reason: `directories are nested more than ${MAX_DEPTH} deep`,
    });
  const found = await walk.entries(directory);
  if (found.length > MAX_ENTRIES)
    throw new MillraceError('source_listing_unusable', { reason: `a directory has more than ${MAX_ENTRIES} entries` });
  const wanted = found
    .filter((entry) => isWanted(entry))
    .map((entry) => ({ entry, key: `${directory}${entry.name}${entry.isDirectory ? '/' : ''}` }))
    .filter(({ entry, key }) => mayHold(walk, key, entry.isDirectory))
    .sort((a, b) => compareKeys(a.key, b.key));
  for (const { entry, key } of wanted) {
    if (entry.isDirectory) yield* enter(walk, key, depth + 1);
    else yield objectOf(entry, key);
  }
}

/** "." and "..", a name with a slash and hidden and half-written files are nothing a source takes. */
function isWanted({ name, isDirectory, isFile }: Entry): boolean {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) return false;
  return isDirectory ? !name.startsWith('.') : isFile && !isTemporaryName(name);
}

function mayHold({ prefix, after }: Walk, key: string, isDirectory: boolean): boolean {
  if (isDirectory ? !(key.startsWith(prefix) || prefix.startsWith(key)) : !key.startsWith(prefix)) return false;
  if (after === null || compareKeys(key, after) > 0) return true;
  return isDirectory && after.startsWith(key);
}

function objectOf({ name, bytes, modifiedAt, mark }: Entry, key: string): PlacedObject {
  const object = { key, bytes, modifiedAt, mark };
  if (!name.includes('\uFFFD')) return object;
  return { ...object, fault: new MillraceError('source_object_name_unusable', { reason: 'it is not UTF-8 text' }) };
}
