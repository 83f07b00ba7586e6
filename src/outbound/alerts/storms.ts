// Storms: when many alerts of one rule open in a short time, a sink gets the first few messages and then one digest per window,
// until a whole window has been quiet. Grouped by tenant and rule, as Grafana does by default; no alert is lost, each is in the list.
import { type Pool, withTransaction } from '../../platform/database.ts';
import { failpoint } from '../../platform/failpoints.ts';
import type { AlertSettings } from './alert-settings.ts';
import { foldSends, insertDigest, lockStorms } from './sql/fold-sends.ts';

/** How many messages were folded. */
export async function foldStorms(
  pool: Pool,
  { digestAfter, digestMs }: Pick<AlertSettings, 'digestAfter' | 'digestMs'>,
): Promise<number> {
  if (digestAfter === 0) return 0;
  return withTransaction(pool, async (tx) => {
    let folded = 0;
    for (const storm of await lockStorms(tx, digestAfter, digestMs)) {
      const digestId = storm.digest_id ?? (await insertDigest(tx, storm, digestMs));
      await foldSends(tx, storm.send_ids, digestId);
      folded += storm.send_ids.length;
    }
    if (folded > 0) failpoint('alerts.folded');
    return folded;
  });
}
