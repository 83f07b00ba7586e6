// Decides which process evaluates the figures. Any number of processes may ask; one of them gets the row.
import type { Queryable } from '../../../platform/database.ts';

/** True when nobody has looked for `everyMs`; until the transaction ends nobody else gets the same answer. */
export async function takeTurn(db: Queryable, everyMs: number): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'alerts-take-turn',
    text: `
      update engine.alert_clock set evaluated_at = engine.now()
      where "only" = (
        select "only" from engine.alert_clock
        where evaluated_at <= engine.now() - $1 * interval '1 millisecond'
           -- A server whose clock was put back must not fall silent.
           or evaluated_at > engine.now() + interval '1 minute'
        for update skip locked
      )`,
    values: [everyMs],
  });
  return rowCount === 1;
}
