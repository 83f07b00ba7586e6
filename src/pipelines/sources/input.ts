// What a sync is asked to do, plain JSON in the ledger.
import { z } from 'zod';

const triggers = ['schedule', 'person', 'push', 'created'] as const;

export const SyncInput = z.object({
  source_id: z.uuid(),
  /** For people who read the ledger. */
  name: z.string(),
  trigger: z.enum(triggers),
  /** Only these objects, which the place announced; left out: the whole listing. */
  keys: z.array(z.string()).max(1_000).optional(),
});
export type SyncInput = z.infer<typeof SyncInput>;
