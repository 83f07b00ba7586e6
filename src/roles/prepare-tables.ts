// `prepare` of pipelines that do not come with Millrace: makes their tables at every start, as the user who migrates, after the migrations.
// It waits for a lock no longer than a migration does, and is then tried again from its beginning: whatever runs at every start finds what
// it made before. One process of an installation prepares at a time.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Queryable } from '../platform/database.ts';
import { translateDatabaseError } from '../platform/database-errors.ts';
import { defaultPatience, type Patience, tryPatiently } from '../platform/lock-patience.ts';
import type { Log } from '../platform/log.ts';
import { connectForSchema, limitLocks } from '../platform/schema-client.ts';

export interface Preparation {
  /** Whose tables they are, for messages. */
  readonly name: string;
  readonly prepare: (admin: Queryable) => Promise<void>;
}

export interface PrepareOptions {
  /** Of the user who migrates. */
  readonly url: string;
  readonly log: Log;
  readonly patience?: Patience;
}

/** Those that have something to prepare. */
export function preparationsOf(
  kits: readonly { readonly name: string; prepare?(admin: Queryable): Promise<void> }[],
): Preparation[] {
  return kits.flatMap((kit) => {
    const { name, prepare } = kit;
    return prepare === undefined ? [] : [{ name: `pipeline ${name}`, prepare: (admin) => prepare.call(kit, admin) }];
  });
}

/** Each on a connection of its own: what one sets there is not the next one's. */
export async function prepareTables(preparations: readonly Preparation[], options: PrepareOptions): Promise<void> {
  for (const preparation of preparations) await prepareOne(preparation, options);
}

async function prepareOne({ name, prepare }: Preparation, { url, log, patience = defaultPatience }: PrepareOptions) {
  const { lockTimeoutMs, tries } = patience;
  const { client } = await connectForSchema(url);
  try {
    await tryPatiently(patience, {
      async attempt() {
        await limitLocks(client, lockTimeoutMs);
        await prepare(client);
      },
      onWait: (attempt) =>
        log.warn(
          { name, attempt },
          'what is prepared at the start waits for a lock that others hold; it is tried again',
        ),
      gaveUp: (cause) =>
        new MillraceError('preparation_blocked', { name, tries, seconds: lockTimeoutMs / 1_000 }, { cause }),
    });
  } catch (error) {
    const ours = translateDatabaseError(error);
    if (ours instanceof MillraceError) throw ours;
    const reason = error instanceof Error ? error.message : String(error);
    throw new MillraceError('preparation_failed', { name, reason }, { cause: error });
  } finally {
    await client.end();
  }
}
