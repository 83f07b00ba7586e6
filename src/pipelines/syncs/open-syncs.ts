// What syncs need from their settings: the way to Airbyte, the key that seals credentials, and the limits.
import type { SecretBox } from '../../platform/secret-box.ts';
import { type AirbyteSettings, createAirbyteClients } from './airbyte-clients.ts';
import type { SyncSettings } from './settings.ts';
import { defaultPollPace, type SyncsDeps } from './syncs-deps.ts';

export function openSyncs(settings: SyncSettings, secrets: SecretBox): SyncsDeps {
  return {
    clients: createAirbyteClients(airbyteSettings(settings), secrets),
    limits: {
      minIntervalSeconds: settings.minIntervalSeconds,
      accountTriggersPerHour: settings.accountTriggersPerHour,
      failureLimit: settings.connectorFailureLimit,
    },
    poll: defaultPollPace,
  };
}

function airbyteSettings(settings: SyncSettings): AirbyteSettings {
  const { airbyteApiToken: token, airbyteClientId: clientId, airbyteClientSecret: clientSecret } = settings;
  const credential =
    token !== undefined
      ? ({ kind: 'token', token } as const)
      : clientId !== undefined && clientSecret !== undefined
        ? ({ kind: 'client', clientId, clientSecret } as const)
        : undefined;
  return {
    baseUrl: settings.airbyteBaseUrl,
    timeoutMs: settings.airbyteTimeoutSeconds * 1_000,
    credential,
    workspaceId: settings.airbyteWorkspaceId,
  };
}
