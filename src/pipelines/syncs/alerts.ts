// The fact that syncs give to alerts: a connector was switched off.
import { safeCode, safeLabel } from '../../outbound/alerts/messages.ts';
import type { PipelineAlerts } from '../../outbound/alerts/pipeline-alerts.ts';

export const syncsAlerts: PipelineAlerts = {
  facts: {
    'connector.disabled'({ data }) {
      const connectorId = String(data.connector_id ?? '');
      return {
        event: 'connector_disabled',
        subject: connectorId,
        message: `[CONNECTOR DISABLED] ${safeLabel(connectorId)}: ${safeCode(String(data.error_code ?? ''))}`,
      };
    },
  },
  rules: [
    {
      name: 'connector_disabled',
      description: 'A connector was switched off after too many failures.',
      severity: 'ERROR',
      on: { event: 'connector_disabled' },
    },
  ],
};
