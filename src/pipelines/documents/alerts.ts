// What documents bring to alerts: a run that nobody has picked up for long, whichever way it should have reached a worker. The threshold follows
// the settings: in the ledger that of the crash guard's queued runs, which alerts and fails nothing; over HTTP or a queue a run is in nobody's
// queue until its delivery is overdue, and is claimed at once after that where an ingest worker lives.
import type { DefaultRule } from '../../outbound/alerts/pipeline-alerts.ts';
import type { DocumentSettings } from './settings.ts';

/** What an ingest worker may take to claim a run whose delivery is overdue. */
const CLAIMED_WITHIN_SECONDS = 60;

export function documentsAlertRules({
  ingestMode,
  crashGuardQueuedTtlHours,
  deliveryOverdueSeconds,
}: Pick<DocumentSettings, 'ingestMode' | 'crashGuardQueuedTtlHours' | 'deliveryOverdueSeconds'>): DefaultRule[] {
  const isDelivered = ingestMode !== 'ledger';
  return [
    {
      name: 'documents_not_picked_up',
      description: isDelivered
        ? `A document was not delivered for ${deliveryOverdueSeconds} s (DELIVERY_OVERDUE_SECONDS) and no ingest worker has claimed it since.`
        : `A document has waited for a worker for ${crashGuardQueuedTtlHours} h (CRASH_GUARD_QUEUED_TTL_HOURS): no worker for documents is alive, or there is too much to do.`,
      severity: 'WARNING',
      on: {
        metric: 'oldest_waiting_s',
        comparison: '>',
        threshold: isDelivered ? CLAIMED_WITHIN_SECONDS : crashGuardQueuedTtlHours * 3_600,
      },
    },
  ];
}
