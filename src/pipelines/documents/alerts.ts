// What documents bring to alerts: a run that nobody has picked up for long, whichever way it should have reached a worker.
import type { PipelineAlerts } from '../../outbound/alerts/pipeline-alerts.ts';

const OVERDUE_SECONDS = 900;

export const documentsAlerts: PipelineAlerts = {
  rules: [
    {
      name: 'documents_not_picked_up',
      description:
        'A document has waited for a worker for a quarter of an hour: its delivery is overdue, or no ingest worker is alive.',
      severity: 'WARNING',
      on: { metric: 'oldest_waiting_s', comparison: '>', threshold: OVERDUE_SECONDS },
    },
  ],
};
