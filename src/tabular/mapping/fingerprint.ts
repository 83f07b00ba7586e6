// Recognises the same kind of file again: a hash of its column names, whatever their order, letter case or currency.
import { createHash } from 'node:crypto';
import { headerName } from './header-name.ts';

export function headerFingerprint(names: readonly string[]): string {
  const keys = names.map((name) => headerName(name).key).sort();
  return createHash('sha256').update(JSON.stringify(keys)).digest('hex').slice(0, 32);
}
