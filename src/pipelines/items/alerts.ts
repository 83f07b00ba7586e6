// The facts that items give to alerts: a job that ended with many failed items, or with many that were not found. A job whose items all failed is a failed run, for which
// alerts have a rule already.

import type { EmittedEvent } from '../../engine/stage-context.ts';
import { safeLabel } from '../../outbound/alerts/messages.ts';
import type { PipelineAlerts } from '../../outbound/alerts/pipeline-alerts.ts';
import type { Fates } from './process/receipt.ts';

const ITEMS_COMPLETED = 'items.completed';
/** Fields of its data that webhooks may tell. */
export const itemsEventFields = {
  [ITEMS_COMPLETED]: ['job_id', 'total_items', 'done_items', 'not_found_items', 'error_items', 'skipped_items'],
} as const;

const FAILED_SHARE = 0.1;
const NOT_FOUND_SHARE = 0.5;

export function itemsCompleted(jobId: string, { total, done, not_found, error, skipped }: Fates): EmittedEvent {
  const counts = { total_items: total, done_items: done, not_found_items: not_found, error_items: error };
  return { type: ITEMS_COMPLETED, data: { job_id: jobId, ...counts, skipped_items: skipped } };
}

export const itemsAlerts: PipelineAlerts = {
  facts: {
    [ITEMS_COMPLETED]({ data }) {
      const subject = String(data.job_id ?? '');
      const [total, failed, missing] = [data.total_items, data.error_items, data.not_found_items].map(Number) as [
        number,
        number,
        number,
      ];
      if (failed >= total * FAILED_SHARE && failed > 0)
        return {
          event: 'items_failed',
          subject,
          message: `[ITEMS FAILED] ${safeLabel(subject)}: ${failed} of ${total}`,
        };
      if (missing >= total * NOT_FOUND_SHARE && missing > 0)
        return {
          event: 'items_not_found',
          subject,
          message: `[ITEMS NOT FOUND] ${safeLabel(subject)}: ${missing} of ${total}`,
        };
      return undefined;
    },
  },
  rules: [
    {
      name: 'items_failed',
      description: 'A tenth of the items of a job or more failed.',
      severity: 'WARNING',
      on: { event: 'items_failed' },
    },
    {
      name: 'items_not_found',
      description: 'Half of the items of a job or more were not found.',
      severity: 'WARNING',
      on: { event: 'items_not_found' },
    },
  ],
};
