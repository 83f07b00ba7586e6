// Refuses text that the database cannot hold, wherever it stands in a value, and says where.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { isStorableText } from './storable-text.ts';

/** `path`: how the value is called in the refusal, as "body" or "query". */
export function requireStorable(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (!isStorableText(value)) throw new MillraceError('text_unstorable', { field: path });
  } else if (typeof value === 'object' && value !== null && !Buffer.isBuffer(value)) {
    for (const [name, inner] of Object.entries(value)) {
      // A name that cannot be stored cannot be said either.
      requireStorable(name, path);
      requireStorable(inner, `${path}.${name}`);
    }
  }
}
