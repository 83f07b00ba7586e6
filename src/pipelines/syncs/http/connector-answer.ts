// A connector as the API shows it.
import type { AnswerOf } from '../../../contract/api/client.ts';
import type { ConnectorView } from '../connector-view.ts';

export type ConnectorAnswer = AnswerOf<'connectors.show'>;

export function connectorAnswer(view: ConnectorView): ConnectorAnswer {
  const { connector } = view;
  return {
    connector_id: connector.connector_id,
    name: connector.name,
    connection_id: connector.connection_id,
    airbyte_workspace_id: connector.workspace_id,
    provider: connector.provider,
    external_account_id: connector.external_account_id,
    interval_seconds: connector.interval_seconds,
    effective_interval_seconds: view.effectiveSeconds,
    enabled: connector.enabled,
    credential: connector.credential_kind,
    error_kinds: { ...connector.error_kinds },
    freshness: view.freshness,
    live_job: view.live,
    next_sync_at: time(view.nextAt),
    consecutive_failures: connector.consecutive_failures,
    warned_at: time(connector.warned_at),
    disabled_at: time(connector.disabled_at),
    disabled_reason: connector.disabled_reason,
    last_started_at: time(connector.last_started_at),
    last_success_started_at: time(connector.last_success_started_at),
    last_success_at: time(connector.last_success_at),
    last_error_code: connector.last_error_code,
    last_error_at: time(connector.last_error_at),
    created_at: connector.created_at.toISOString(),
    updated_at: connector.updated_at.toISOString(),
  };
}

function time(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
