// Natural keys and the external ids of things the file names without giving an id.
import { hash } from 'node:crypto';

/** Cannot occur in a cell that was read as one value, so parts cannot run into each other. */
const SEPARATOR = '\u001f';
const ABSENT = '\u0000';

/** What all keys of one upload share. */
export class KeyHasher {
  readonly #prefix: string;

  constructor(scope: { workspaceId: string; clientId: string | null; platform: string }) {
    this.#prefix = `${scope.workspaceId}${SEPARATOR}${scope.clientId ?? ABSENT}${SEPARATOR}${scope.platform}${SEPARATOR}`;
  }

  /** SHA-256 in hex of a daily number's key. */
  metric(date: string, campaign: string | null, adSet: string | null, ad: string | null): string {
    const key = `${this.#prefix}${date}${SEPARATOR}${campaign ?? ABSENT}${SEPARATOR}${adSet ?? ABSENT}${SEPARATOR}${ad ?? ABSENT}`;
    return hash('sha256', key, 'hex');
  }

  dimension(entity: 'campaign' | 'ad_set' | 'ad', externalId: string): string {
    return hash('sha256', `${this.#prefix}${entity}${SEPARATOR}${externalId}`, 'hex');
  }

  /** A line that has no key, because it cannot be read or lacks a part of it. */
  unreadable(line: number, offset: number): string {
    return hash('sha256', `${this.#prefix}line${SEPARATOR}${line}${SEPARATOR}${offset}`, 'hex');
  }
}

/** The same for the same name under the same parent, in every file. The prefix marks it as ours and not the platform's. */
export function idFromName(name: string, parent: string | null): string {
  return `name:${hash('sha256', `${parent ?? ''}${SEPARATOR}${name.normalize('NFKC').trim()}`, 'hex').slice(0, 32)}`;
}
