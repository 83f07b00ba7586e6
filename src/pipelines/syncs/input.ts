// What a sync run is asked to do, plain JSON in the ledger. No secret: the credential is read from the connector when needed.
import { z } from 'zod';

export const SyncInput = z.object({
  connector_id: z.uuid(),
  external_account_id: z.string().min(1).max(200),
  /** The connector's name when the run was made, for people. */
  name: z.string().optional(),
  /** Whose API it reads, where that is known: what throttling is told by. */
  provider: z.string().optional(),
  /** Who wanted it: the schedule, a person, support. */
  trigger: z.enum(['schedule', 'manual', 'support']).default('manual'),
});
export type SyncInput = z.output<typeof SyncInput>;
