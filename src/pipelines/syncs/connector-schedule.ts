// A connector's place in the engine's schedules. The cron expression is only the grain for people to read; when it is due is
// worked out by cadence.ts, each time it fires.
import type { ScheduleRequest } from '../../engine/schedules.ts';
import { effectiveSeconds, nextSlot } from './cadence.ts';
import type { ConnectorRow } from './sql/connectors.ts';

const HOUR = 3_600;

export function scheduleName(connectorId: string): string {
  return `sync:${connectorId}`;
}

export function scheduleOf(connector: ConnectorRow): ScheduleRequest {
  const seconds = effectiveSeconds(connector.plan, connector.interval_seconds);
  const { connector_id: connectorId, external_account_id: account, name, provider } = connector;
  return {
    tenantId: connector.tenant_id,
    name: scheduleName(connectorId),
    pipeline: 'syncs',
    cron: seconds >= 24 * HOUR ? '0 0 * * *' : `0 */${Math.max(1, Math.floor(seconds / HOUR))} * * *`,
    input: {
      connector_id: connectorId,
      external_account_id: account,
      name,
      trigger: 'schedule',
      ...(provider === null ? {} : { provider }),
    },
    enabled: connector.enabled,
    nextAt: nextSlot(connectorId, seconds, connector.now),
  };
}
