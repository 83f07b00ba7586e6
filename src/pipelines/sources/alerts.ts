// The facts that sources give to alerts: a sync failed, a source had no sync for too long, its queue cannot be read.
import { safeCode, safeLabel } from '../../outbound/alerts/messages.ts';
import type { PipelineAlerts } from '../../outbound/alerts/pipeline-alerts.ts';

export const sourcesAlerts: PipelineAlerts = {
  facts: {
    'source.failed'({ data }) {
      const subject = String(data.source_id ?? '');
      const code = safeCode(String(data.error_code ?? ''));
      return { event: 'source_failed', subject, message: `[SOURCE FAILED] ${safeLabel(subject)}: ${code}` };
    },
    'source.stale'({ data }) {
      const subject = String(data.source_id ?? '');
      return { event: 'source_stale', subject, message: `[SOURCE STALE] ${safeLabel(subject)}` };
    },
    'source.unheard'({ data }) {
      const subject = String(data.source_id ?? '');
      const code = safeCode(String(data.error_code ?? ''));
      return { event: 'source_unheard', subject, message: `[SOURCE QUEUE NOT HEARD] ${safeLabel(subject)}: ${code}` };
    },
  },
  rules: [
    {
      name: 'source_failed',
      description: 'A sync of a source failed.',
      severity: 'ERROR',
      on: { event: 'source_failed' },
    },
    {
      name: 'source_stale',
      description: 'A source had no complete sync for too long.',
      severity: 'WARNING',
      on: { event: 'source_stale' },
    },
    {
      name: 'source_unheard',
      description: 'The queue that announces the objects of a source cannot be read.',
      severity: 'WARNING',
      on: { event: 'source_unheard' },
    },
  ],
};
