// Recounts a finished sync from its lines: what was not as before has one each, and what was seen beside them was as before.
import type { RunFacts } from '../../engine/pipeline.ts';
import type { Receipt } from '../../engine/receipt.ts';
import type { Queryable } from '../../platform/database.ts';
import type { SyncInput } from './input.ts';
import { countLines } from './sql/lines.ts';

export async function recountSync(run: RunFacts<SyncInput>, tx: Queryable): Promise<Receipt> {
  const counted = await countLines(tx, run.tenantId, run.id);
  const { new: added = 0, changed = 0, refused = 0, vanished = 0 } = counted;
  const read = run.receipt?.read ?? 0;
  return {
    read,
    outcomes: { new: added, changed, refused, unchanged: read - added - changed - refused },
    vanished,
  };
}
