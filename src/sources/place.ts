// A place that a source lists again and again: a bucket, a directory on a server, a folder. Listing takes nothing away, unlike in a
// watched folder (source.ts): what is there is listed in one order and compared with what was seen before. Every kind keeps the
// promises of `test/support/place-conformance.ts`.
import path from 'node:path';
import { MillraceError } from '../contract/errors/millrace-error.ts';

export interface PlacedObject {
  /** As the place spells it, below its root, parts separated by "/". Data only: it is given back to the place and never joined to a path of ours. */
  readonly key: string;
  readonly bytes: number;
  /** Null where the place does not say. */
  readonly modifiedAt: Date | null;
  /** Another one whenever the content may be another: ETag, else size and time. */
  readonly mark: string;
  /** It is there and can never be read, such as a name that is no text. */
  readonly fault?: MillraceError;
  /** A directory that cannot be entered; only with a fault. What lies in it is not known. */
  readonly isDirectory?: boolean;
}

/** Which part of a place is listed. */
export interface ListedPart {
  readonly prefix: string;
  /** The listing begins behind this key. */
  readonly after: string | null;
  /** Whether anything below a directory ("name/") may be wanted; one that is not is not asked for. Left out: all are. */
  readonly reaches?: (directory: string) => boolean;
}

export interface Place {
  /** In one line for people, without credentials. */
  readonly address: string;
  /** How many objects may be read at the same time. */
  readonly readsAtOnce: number;
  /** `read` gives the listed content or fails: nothing is to be asked after the last byte. */
  readonly readsExactly: boolean;
  /** The identity of an object for ever: s3://bucket/key, sftp://host/path … */
  uriOf(key: string): string;
  /**
   * Everything below the prefix, in pages, in ascending order of the keys' UTF-8 bytes, beginning behind `after`. It ends only when nothing
   * is left, so that an end proves absence: whatever goes wrong is thrown. A directory that may not be listed stands for itself, with the
   * fault `source_directory_shut`: where there is one, the end proves nothing.
   */
  list(part: ListedPart, signal: AbortSignal): AsyncIterable<readonly PlacedObject[]>;
  /** Prefixes one step below this one, for people who look for the right one; not more than `limit`. */
  directories(prefix: string, limit: number, signal: AbortSignal): Promise<readonly string[]>;
  /** Its bytes from the beginning. Fails with `source_file_changing` when it is no longer the one that was listed. */
  read(
    object: PlacedObject,
    signal: AbortSignal,
    /** Told which version is read, where the place keeps versions. */
    onVersion?: (version: string) => void,
  ): AsyncIterable<Uint8Array>;
  /** As it is now; undefined: it is gone. */
  look(key: string, signal: AbortSignal): Promise<PlacedObject | undefined>;
  /** Marks or moves an object that was taken in. Repeating it is harmless. */
  putAway(object: PlacedObject, how: 'move' | 'tag', signal: AbortSignal): Promise<void>;
  /** Whether an object of this key lies where taken ones are moved to: then it has not vanished, whatever was heard of its move. */
  wasMoved(key: string, signal: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

/** Keys are compared by their UTF-8 bytes, like the database (collation "C") and S3 do. */
export function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
}

/** What the caller allows a place to reach. */
export interface PlaceGuard {
  /** For sockets: resolves a name and refuses addresses that may not be called. */
  readonly lookup: (hostname: string, options: object, callback: (...found: never[]) => void) => void;
  /** Throws for a host that is an address which may not be called. */
  requireCallable(host: string): void;
}

/** The file is being written: its bytes of this moment are no version of it. */
export function changing(key: string): MillraceError {
  return new MillraceError('source_file_changing', { name: path.posix.basename(key) });
}
