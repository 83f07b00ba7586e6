// The id of a batch: given by the sender, or made from vendor and file name. It is logged and shown everywhere, so it holds plain
// characters only.
import { createHash } from 'node:crypto';
import { MillraceError } from '../../contract/errors/millrace-error.ts';

export const DEFAULT_VENDOR = 'simplicity';
const MAX_LENGTH = 180;
/** A retry or a correction adds this to the id (src/engine/actions.ts, nextRevision). */
const revision = /#r\d+$/;

export function batchIdOf(given: string | undefined, vendor: string, fileName: string): string {
  if (given === undefined || given.trim() === '') return defaultBatchId(vendor, fileName);
  const id = given.trim();
  if (id.length > MAX_LENGTH) fail(`it has more than ${MAX_LENGTH} characters`);
  if (revision.test(id)) fail('"#r" and a number mark revisions, which Millrace makes itself');
  if (!/^[\w.:/-]+$/.test(id)) fail('it holds blanks or signs');
  return id;
}

/**
 * Of an object at a connected source: by where it lies, so that files of one name in two directories are two batches, and the same object with
 * other content is the same batch. simplicity + s3://court/kings/jan.csv → simplicity-court/kings/jan.csv. What had to be replaced or cut off
 * is told apart by a part of its hash.
 */
export function placedBatchId(vendor: string, uri: string): string {
  const path = uri.replace(/^[a-z0-9]+:\/\//, '');
  const id = `${vendor}-${path}`;
  const plain = id.replace(/[^\w./-]+/g, '-');
  if (plain === id && id.length <= MAX_LENGTH) return id;
  const hash = createHash('sha256').update(uri).digest('hex').slice(0, 12);
  return `${plain.slice(0, MAX_LENGTH - hash.length - 1)}-${hash}`;
}

/** simplicity + 2026-01-07.csv → simplicity-2026-01-07.csv */
export function defaultBatchId(vendor: string, fileName: string): string {
  const plain = (text: string) =>
    text
      .normalize('NFKD')
      .replace(/[^\w.-]+/g, '-')
      .replace(/^-+|-+$/g, '');
  const name = plain(fileName) || 'batch';
  const sender = plain(vendor);
  const isNamed = sender === '' || name.toLowerCase().startsWith(sender.toLowerCase());
  return (isNamed ? name : `${sender}-${name}`).slice(0, MAX_LENGTH);
}

function fail(reason: string): never {
  throw new MillraceError('batch_id_invalid', { reason });
}

export const GOLDEN_PATH_PREFIX = 'golden_path_test_';

export function isGoldenPathBatch(batchId: string): boolean {
  return batchId.startsWith(GOLDEN_PATH_PREFIX);
}
