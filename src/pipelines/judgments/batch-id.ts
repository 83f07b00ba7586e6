// The id of a batch: given by the sender, or made from vendor and file name. It is logged and shown everywhere, so it holds plain
// characters only.
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
