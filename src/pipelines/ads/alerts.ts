// The facts that ads give to alerts, with the texts of the specification: an upload whose numbers are stored.

import { safeCode, safeLabel } from '../../outbound/alerts/messages.ts';
import type { PipelineAlerts } from '../../outbound/alerts/pipeline-alerts.ts';
import { INGESTION_COMPLETE } from './event.ts';

export const adsAlerts: PipelineAlerts = {
  facts: {
    [INGESTION_COMPLETE](event, run) {
      if (run === undefined) return undefined;
      const { promoted_rows: promoted, failed_rows: failed } = (event.data.metrics ?? {}) as Record<string, unknown>;
      const status = safeCode(String(event.data.status ?? ''));
      const counts = `${Number(promoted)} rows promoted, ${Number(failed)} failed`;
      return {
        event: 'ingestion_complete',
        message: `[INGESTION COMPLETE] ${safeLabel(run.label)}: ${status}, ${counts}`,
      };
    },
  },
};
