// What judgments bring to alerts: a batch that came back with other content, and batches that take long.
import { safeLabel } from '../../outbound/alerts/messages.ts';
import type { PipelineAlerts } from '../../outbound/alerts/pipeline-alerts.ts';
import { ALERT_RAISED } from './alerts.ts';

const DAY_MINUTES = 1_440;

export const judgmentsAlerts: PipelineAlerts = {
  facts: {
    // The reporter's word for a batch that was submitted again; its other alerts are the rules of every pipeline.
    [ALERT_RAISED]: (event, run) =>
      run && event.data.rule === 'batch_content_changed'
        ? {
            event: 'batch_content_changed',
            message: `[BATCH CONTENT CHANGED] ${safeLabel(run.label)}: uploaded again with other content`,
          }
        : undefined,
  },
  rules: [
    {
      name: 'batch_content_changed',
      description: 'A batch was uploaded again with other content.',
      severity: 'WARNING',
      windowMinutes: DAY_MINUTES,
      on: { event: 'batch_content_changed' },
    },
    {
      name: 'slow_processing',
      description: 'Batches of judgments take long.',
      severity: 'WARNING',
      windowMinutes: DAY_MINUTES,
      on: { metric: 'avg_processing_s', comparison: '>', threshold: 300 },
    },
  ],
};
