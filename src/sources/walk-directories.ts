// Directories of a server or a disk as one ordered listing: each directory is sorted by what its entries' keys begin with, a directory as
// "name/", and entered where it stands. Only the directories on the way down are in memory.
import { createHash } from 'node:crypto';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { isTemporaryName } from './folder/temporary-names.ts';
import { compareKeys, type ListedPart, type PlacedObject } from './place.ts';

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

export interface Walk extends ListedPart {
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
/** What an index of the database holds, with room for the last part of a cut name. */
const MAX_KEY_BYTES = 2_000;
const MAX_DIRECTORY_BYTES = 1_700;

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
  const found = await walk.entries(directory).catch((error: unknown) => {
    if (isShut(error) && !walk.prefix.startsWith(directory)) return undefined;
    throw naming(directory, error);
  });
  if (found === undefined) {
    yield* shut(walk, directory);
    return;
  }
  if (found.length > MAX_ENTRIES)
    throw new MillraceError('source_listing_unusable', { reason: `a directory has more than ${MAX_ENTRIES} entries` });
  const taken = new Set<string>();
  const wanted = found
    .map(sayable)
    .filter((entry) => isWanted(entry))
    .map((entry) => keyed(entry, directory, taken))
    .filter((each) => mayHold(walk, each))
    .sort((a, b) => compareKeys(a.key, b.key));
  for (const { entry, key, isEntered, fault } of wanted) {
    if (isEntered) {
      yield* enter(walk, key, depth + 1);
      continue;
    }
    const { bytes, modifiedAt, mark } = entry;
    const object = { key, bytes, modifiedAt, mark };
    if (fault === undefined) yield object;
    else yield { ...object, fault, ...(entry.isDirectory ? { isDirectory: true } : {}) };
  }
}

function isShut(error: unknown): error is MillraceError {
  return error instanceof MillraceError && (error.code === 'source_denied' || error.code === 'source_place_gone');
}

/** It stands where its first file would. A walk that goes on right behind it has said so before; behind one of its files the order cannot be kept. */
function* shut({ after }: Walk, directory: string): Generator<PlacedObject> {
  const fault = new MillraceError('source_directory_shut', { name: directory });
  if (after === directory) return;
  if (after?.startsWith(directory)) throw fault;
  yield { key: directory, bytes: 0, modifiedAt: null, mark: 'shut', fault, isDirectory: true };
}

/** Which of the directories above what is wanted may not be listed is what people must know to put it right. */
function naming(directory: string, error: unknown): unknown {
  if (!isShut(error) || directory === '') return error;
  return new MillraceError(error.code, { reason: `${error.params.reason}, in "${directory}"` }, { cause: error });
}

/** No name has a slash or a NUL, and none is empty; a server that sends one is not asked for it. */
function sayable(entry: Entry): Entry {
  const name = entry.name.replaceAll(/[/\0]/g, '\uFFFD');
  return name === entry.name ? entry : { ...entry, name };
}

interface Keyed {
  readonly entry: Entry;
  readonly key: string;
  readonly isEntered: boolean;
  readonly fault?: MillraceError;
}

/** What cannot be asked for by its name stands for itself alone, a directory too: what lies in it is not known. */
function keyed(entry: Entry, directory: string, taken: Set<string>): Keyed {
  const { name, isDirectory } = entry;
  const key = `${directory}${name}${isDirectory ? '/' : ''}`;
  const isLong = Buffer.byteLength(key) > (isDirectory ? MAX_DIRECTORY_BYTES : MAX_KEY_BYTES);
  if (!isLong && !name.includes('\uFFFD')) return { entry, key, isEntered: isDirectory };
  const reason = isLong ? 'it is too long' : 'it is not UTF-8 text, or a line break hides its end';
  const fault = new MillraceError('source_object_name_unusable', { reason });
  return {
    entry,
    key: oneOfItsOwn(isLong ? shortened(`${directory}${name}`) : `${directory}${name}`, taken),
    isEntered: false,
    fault,
  };
}

/** Two names may look the same once what is no text in them is replaced. */
function oneOfItsOwn(key: string, taken: Set<string>): string {
  let own = key;
  for (let number = 2; taken.has(own); number += 1) own = beforeEnding(key, ` (${number})`);
  taken.add(own);
  return own;
}

function shortened(key: string): string {
  const whole = createHash('sha256').update(key).digest('hex').slice(0, 16);
  const start = Buffer.from(key)
    .subarray(0, MAX_KEY_BYTES - 100)
    .toString();
  return `${start}…${whole}${endingOf(key)}`;
}

/** Patterns such as "*.csv" must still find it. */
function beforeEnding(key: string, more: string): string {
  const ending = endingOf(key);
  return `${key.slice(0, key.length - ending.length)}${more}${ending}`;
}

function endingOf(key: string): string {
  return /\.[a-z0-9]{1,10}$/i.exec(key)?.[0] ?? '';
}

/** "." and "..", and hidden and half-written files are nothing a source takes. */
function isWanted({ name, isDirectory, isFile }: Entry): boolean {
  if (name === '' || name === '.' || name === '..') return false;
  return isDirectory ? !name.startsWith('.') : isFile && !isTemporaryName(name);
}

function mayHold({ prefix, after, reaches }: Walk, { entry, key, isEntered }: Keyed): boolean {
  if (entry.isDirectory && reaches?.(key.endsWith('/') ? key : `${key}/`) === false) return false;
  if (isEntered ? !(key.startsWith(prefix) || prefix.startsWith(key)) : !key.startsWith(prefix)) return false;
  if (after === null || compareKeys(key, after) > 0) return true;
  return isEntered && after.startsWith(key);
}
