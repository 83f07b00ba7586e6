// What documents bring to alerts: a run that nobody has picked up for long, whichever way it should have reached a worker. The threshold follows
// the settings: in the ledger and on a queue that of the crash guard's queued runs, which alerts and fails nothing (a long queue is no fault). A
// run that is delivered waits for a claim only since its delivery is overdue, so that time is taken off. Over HTTP such a run fails when that time
// is over: the alert opens before, as soon as no ingest worker claims what is overdue.
import type { DefaultRule } from '../../outbound/alerts/pipeline-alerts.ts';
import type { DocumentSettings } from './settings.ts';

/** What an ingest worker may take to claim a run whose delivery is overdue. */
const CLAIMED_WITHIN_SECONDS = 60;

export function documentsAlertRules({
  ingestMode,
  crashGuardQueuedTtlHours,
  deliveryOverdueSeconds,
}: Pick<DocumentSettings, 'ingestMode' | 'crashGuardQueuedTtlHours' | 'deliveryOverdueSeconds'>): DefaultRule[] {
  const ttlSeconds = crashGuardQueuedTtlHours * 3_600;
  const thresholds = {
    ledger: ttlSeconds,
    http: CLAIMED_WITHIN_SECONDS,
    queue: Math.max(CLAIMED_WITHIN_SECONDS, ttlSeconds - deliveryOverdueSeconds),
  };
  return [
    {
      name: 'documents_not_picked_up',
      description:
        ingestMode === 'http'
          ? `A document was not delivered for ${deliveryOverdueSeconds} s (DELIVERY_OVERDUE_SECONDS) and no ingest worker has claimed it since.`
          : `A document has waited for a worker for ${crashGuardQueuedTtlHours} h (CRASH_GUARD_QUEUED_TTL_HOURS): no worker for documents is alive, or there is too much to do.`,
      severity: 'WARNING',
      on: {
        metric: 'oldest_waiting_s',
        comparison: '>',
        threshold: thresholds[ingestMode],
      },
    },
  ];
}
