// POST /api/ingestion/scan: syncs the connected sources that feed items.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type Handlers, handle } from '../../../http/call.ts';
import { requireEnabled } from '../accept-job.ts';
import type { ItemsDeps } from '../deps.ts';

export function scanHandler(deps: ItemsDeps): Handlers {
  return handle('ingestion.scan', async ({ principal, body, trail, operation }) => {
    requireEnabled(deps);
    if (deps.connected === undefined) throw new MillraceError('not_available', { operation });
    const started = await deps.connected.scan({
      tenantId: principal.tenantId,
      pipeline: 'items',
      sourceId: body?.source_id,
      createdBy: principal.kind === 'user' ? principal.actorId : undefined,
    });
    trail.acted({ target: body?.source_id ?? 'items', data: { started: started.length } });
    return {
      scans: started.map(({ sourceId, name, runId, created }) => ({
        source_id: sourceId,
        name,
        run_id: runId,
        created,
      })),
    };
  });
}
