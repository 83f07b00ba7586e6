// What a source promises: a place where things to ingest appear (a folder, later S3 and FTP). `test/support/source-conformance.ts`
// holds every source to it.
//
// discover → store → deliver → accepted. An item is handed to one process at a time; until it is accepted or refused it is found
// again, after a restart or by another process when its holder is gone. Delivering twice is therefore possible and harmless:
// `identity` is the same every time, and with the content's SHA-256 it is the unique key of the run.
import type { MillraceError } from '../contract/errors/millrace-error.ts';

export interface SourceItem {
  /** What the source calls it. Data only, never a path. */
  readonly name: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
  /** The same for the same item, after restarts and in every process; another one when it was changed. */
  readonly identity: string;
  /** Its bytes from the beginning. Fails with `source_file_unreadable`. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Asked after the last byte: did it stay the same since it was discovered? */
  isUnchanged(): Promise<boolean>;
  /** A run has it: put it where it is not found again. No error when another process has done so. */
  accepted(runId: string): Promise<void>;
  /** No run will have it: put it aside, with the reason where a person finds it. */
  refused(reason: MillraceError): Promise<void>;
  /** Not now: it may be discovered again, by anybody. */
  release(): Promise<void>;
}

export interface Source {
  /** Unique within a tenant; part of every unique key, so it must not change. */
  readonly name: string;
  /** Fails with `source_unusable` unless items can be found, read and put aside. */
  check(): Promise<void>;
  /** What is ready now, oldest first. The caller accepts, refuses or releases each item before it asks for the next. */
  discover(signal: AbortSignal): AsyncGenerator<SourceItem>;
  /** Calls `hint` when something may have appeared; returns how to stop. Only a hint: polling does not depend on it. */
  watch(hint: () => void): () => void;
}
