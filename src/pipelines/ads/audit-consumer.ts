// Writes the completion of an ingestion into the audit log of its tenant, once: the consumer's offset moves in the same transaction.
import { insertAuditEntry } from '../../access/sql/insert-audit-entry.ts';
import type { Engine } from '../../engine/engine.ts';
import { leaveStage } from '../../engine/sql/fence.ts';
import { enterTenant } from '../../platform/database.ts';
import { INGESTION_COMPLETE } from './event.ts';

export const auditConsumer: Parameters<Engine['consume']>[0] = {
  name: 'ads-audit',
  async apply(tx, events) {
    for (const event of events) {
      if (event.type !== INGESTION_COMPLETE) continue;
      await enterTenant(tx, { tenantId: event.tenant_id, role: 'millrace_app' });
      await insertAuditEntry(tx, {
        tenantId: event.tenant_id,
        action: 'ads.ingested',
        outcome: 'done',
        actorId: null,
        actor: 'the ads pipeline',
        actorRole: 'service',
        target: event.run_id,
        ip: null,
        correlationId: null,
        data: { status: event.data.status, metrics: event.data.metrics },
      });
      // The offset is the engine's to move.
      await leaveStage(tx);
    }
  },
};
