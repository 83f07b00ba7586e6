// Wake-ups. Sent after commit and on their own: NOTIFY inside a writing transaction takes a database-wide lock at commit.
import type { Queryable } from '../../platform/database.ts';

export const channels = { ready: 'millrace_ready', cancel: 'millrace_cancel', events: 'millrace_events' } as const;

export async function notify(db: Queryable, channel: string, payload = ''): Promise<void> {
  await db.query({ name: 'engine-notify', text: `select pg_notify($1, $2)`, values: [channel, payload] });
}

export async function listen(db: Queryable, to: readonly string[]): Promise<void> {
  await db.query(to.map((channel) => `listen ${channel}`).join('; '));
}

/** Whether anybody answers. */
export async function ping(db: Queryable): Promise<void> {
  await db.query('select');
}
