// GET /v1/batch-checks: what must hold in the database for batches to land once. Names of tables and counts, nothing of a tenant.
import { handle } from '../../../http/call.ts';
import { engineOf } from '../../../http/engine-of.ts';
import { checkTables } from '../cli/golden-path/table-checks.ts';

export const checkBatches = handle('batches.checks', async (call) => {
  const checks = await checkTables(engineOf(call).pools.control);
  return { data: checks.map(({ name, isHeld, detail }) => ({ name, holds: isHeld, detail })) };
});
