// Natural keys and the external ids of things the file names without giving an id.
import { hash } from 'node:crypto';

const SEPARATOR = '\u001f';
// No value that can be stored has a NUL, so neither of these is part of an id.
const ABSENT = '\u0000';
const SEPARATOR_WITHIN = '\u0000\u0001';

const DAYS_REMEMBERED = 5_000;

/** Hashes the keys of one upload. Both halves of a key are kept from row to row: putting nine pieces together took as long as hashing. */
export class KeyHasher {
  readonly #prefix: string;
  readonly #starts = new Map<string, string>();
  #campaign: string | null = null;
  #adSet: string | null = null;
  #ad: string | null = null;
  #end = endOf(null, null, null);

  constructor(scope: { workspaceId: string; clientId: string | null; platform: string }) {
    this.#prefix = `${scope.workspaceId}${SEPARATOR}${scope.clientId ?? ABSENT}${SEPARATOR}${scope.platform}${SEPARATOR}`;
  }

  /** SHA-256 in hex of a daily number's key. */
  metric(date: string, campaign: string | null, adSet: string | null, ad: string | null): string {
    if (ad !== this.#ad || adSet !== this.#adSet || campaign !== this.#campaign) {
      [this.#campaign, this.#adSet, this.#ad] = [campaign, adSet, ad];
      this.#end = endOf(campaign, adSet, ad);
    }
    return hash('sha256', this.#startOf(date) + this.#end, 'hex');
  }

  #startOf(date: string): string {
    const known = this.#starts.get(date);
    if (known !== undefined) return known;
    const start = [this.#prefix, date].join('');
    if (this.#starts.size < DAYS_REMEMBERED) this.#starts.set(date, start);
    return start;
  }

  dimension(entity: 'campaign' | 'ad_set' | 'ad', externalId: string): string {
    return hash('sha256', `${this.#prefix}${entity}${SEPARATOR}${externalId}`, 'hex');
  }

  /** A line that has no key, because it cannot be read or lacks a part of it. */
  unreadable(line: number, offset: number): string {
    return hash('sha256', `${this.#prefix}line${SEPARATOR}${line}${SEPARATOR}${offset}`, 'hex');
  }
}

/** Joined, it is one piece of text; added up it would be put together again for every key. */
function endOf(campaign: string | null, adSet: string | null, ad: string | null): string {
  return ['', partOf(campaign), partOf(adSet), partOf(ad)].join(SEPARATOR);
}

/** An id that has the separator in it must not run into its neighbour: two keys would be one. */
function partOf(id: string | null): string {
  if (id === null) return ABSENT;
  return id.includes(SEPARATOR) ? id.replaceAll(SEPARATOR, SEPARATOR_WITHIN) : id;
}

/** The same for the same name under the same parent, in every file. The prefix marks it as ours and not the platform's. */
export function idFromName(name: string, parent: string | null): string {
  return `name:${hash('sha256', `${parent ?? ''}${SEPARATOR}${name.normalize('NFKC').trim()}`, 'hex').slice(0, 32)}`;
}
