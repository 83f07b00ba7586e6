// Writes the six events of the job model into the audit log of their tenant, each once: the consumer's offset moves in the same transaction.
import { insertAuditEntry } from '../../access/sql/insert-audit-entry.ts';
import type { ConsumerOptions } from '../../engine/consumer.ts';
import { leaveStage } from '../../engine/sql/fence.ts';
import { enterTenant } from '../../platform/database.ts';

/** What each says of the job. */
const outcomes: Readonly<Record<string, 'done' | 'failed'>> = {
  'job.queued': 'done',
  'job.started': 'done',
  'job.retry': 'done',
  'job.failed': 'failed',
  'job.dead_lettered': 'failed',
  'job.completed': 'done',
};

export const syncsAudit: Pick<ConsumerOptions, 'name' | 'apply'> = {
  name: 'syncs-audit',
  async apply(tx, events) {
    for (const event of events) {
      const outcome = Object.hasOwn(outcomes, event.type) ? outcomes[event.type] : undefined;
      if (outcome === undefined || event.run_id === null) continue;
      await enterTenant(tx, { tenantId: event.tenant_id, role: 'millrace_app' });
      await insertAuditEntry(tx, {
        tenantId: event.tenant_id,
        action: event.type,
        outcome,
        actorId: null,
        actor: 'the syncs pipeline',
        actorRole: 'service',
        target: event.run_id,
        ip: null,
        correlationId: null,
        data: event.data,
      });
      // The offset is the engine's to move.
      await leaveStage(tx);
    }
  },
};
