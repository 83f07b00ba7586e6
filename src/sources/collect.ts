// Carries what a source has into the ledger: each item becomes one blob and one run, however often this is killed and by however many
// processes it is done at once. The order is bytes, row, run, acknowledgement; a kill in between repeats the item, the unique
// key finds the run that is there already, and the bytes stored twice are taken back.
import { createHash } from 'node:crypto';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { extensionOf } from '../engine/blobs/file-name.ts';
import { type Sniff, type StoredFile, storeFile } from '../engine/blobs/store-file.ts';
import type { BlobStore } from '../platform/blob/blob-store.ts';
import { failpoint } from '../platform/failpoints.ts';
import type { Log } from '../platform/log.ts';
import type { Source, SourceItem } from './source.ts';

export interface Delivery {
  readonly tenantId: string;
  readonly sourceName: string;
  readonly file: StoredFile;
  readonly modifiedAt: Date;
  /** To be the run's unique key. */
  readonly uniqueKey: string;
}

export interface Delivered {
  readonly runId: string;
  /** False: the run with this unique key was there already. */
  readonly created: boolean;
}

export interface CollectOptions {
  readonly source: Source;
  readonly tenantId: string;
  readonly store: BlobStore;
  readonly maxBytes: number;
  readonly sniff: Sniff;
  /** Makes the run, or finds it by its unique key, and takes the bytes back where no run needs them: `acceptFile` of an intake. */
  readonly deliver: (delivery: Delivery) => Promise<Delivered>;
  readonly log: Log;
}

export interface Collected {
  readonly accepted: number;
  readonly refused: number;
  /** Left where they were, to be tried again. */
  readonly postponed: number;
}

export async function collectOnce(options: CollectOptions, signal: AbortSignal): Promise<Collected> {
  const counts = { accepted: 0, refused: 0, postponed: 0 };
  for await (const item of options.source.discover(signal)) {
    counts[await collectItem(options, item, signal)] += 1;
    if (signal.aborted) break;
  }
  return counts;
}

async function collectItem(options: CollectOptions, item: SourceItem, signal: AbortSignal): Promise<keyof Collected> {
  const { log, source } = options;
  const fields = { source: source.name, item: item.identity.slice(0, 12), extension: extensionOf(item.name) };
  try {
    const { runId, created } = await ingest(options, item, signal);
    failpoint('source.before_move');
    await item.accepted(runId);
    log.info({ ...fields, run: runId, created }, created ? 'item accepted' : 'item had been accepted before');
    return 'accepted';
  } catch (error) {
    if (isRefusal(error)) {
      await item.refused(error);
      log.warn({ ...fields, code: error.code }, 'item refused');
      return 'refused';
    }
    await item.release();
    log.warn({ ...fields, err: error }, 'item could not be taken now; it is tried again');
    return 'postponed';
  }
}

async function ingest(options: CollectOptions, item: SourceItem, signal: AbortSignal): Promise<Delivered> {
  const { tenantId, source, store, maxBytes } = options;
  if (item.bytes > maxBytes) throw new MillraceError('file_too_large', { limit: maxBytes });
  const file = await storeFile(store, {
    tenantId,
    fileName: item.name,
    body: item.read(signal),
    maxBytes,
    sniff: options.sniff,
    signal,
  });
  if (!(await item.isUnchanged())) {
    await store.delete(file.storeKey);
    throw new MillraceError('source_file_changing', { name: item.name });
  }
  const uniqueKey = uniqueKeyOf(source.name, item.identity, file.sha256);
  const { modifiedAt } = item;
  const delivered = await options.deliver({ tenantId, sourceName: source.name, file, modifiedAt, uniqueKey });
  failpoint('source.after_deliver');
  return delivered;
}

/** Nobody is there who could answer a conflict: the file is refused, or it would be stored again at every look. */
function isRefusal(error: unknown): error is MillraceError {
  return error instanceof MillraceError && (error.kind === 'input' || error.kind === 'conflict');
}

function uniqueKeyOf(sourceName: string, identity: string, sha256: Buffer): string {
  return `source:${createHash('sha256').update(`${sourceName}\0${identity}\0`).update(sha256).digest('hex')}`;
}
