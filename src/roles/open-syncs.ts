// What syncs need from the configuration: the way to Airbyte, the key that seals credentials, and the limits.
import { type AirbyteSettings, createAirbyteClients } from '../pipelines/syncs/airbyte-clients.ts';
import { openSecretBox } from '../pipelines/syncs/secret-box.ts';
import { defaultPollPace, type SyncsDeps } from '../pipelines/syncs/syncs-deps.ts';
import type { Config } from '../platform/config.ts';

export async function openSyncs(config: Config): Promise<SyncsDeps> {
  const box = await openSecretBox({ secretKey: config.connectorSecretKey, home: config.home });
  return {
    clients: createAirbyteClients(airbyteSettings(config), box),
    limits: {
      minIntervalSeconds: config.minIntervalSeconds,
      accountTriggersPerHour: config.accountTriggersPerHour,
      failureLimit: config.connectorFailureLimit,
    },
    poll: defaultPollPace,
  };
}

function airbyteSettings(config: Config): AirbyteSettings {
  const { airbyteApiToken: token, airbyteClientId: clientId, airbyteClientSecret: clientSecret } = config;
  const credential =
    token !== undefined
      ? ({ kind: 'token', token } as const)
      : clientId !== undefined && clientSecret !== undefined
        ? ({ kind: 'client', clientId, clientSecret } as const)
        : undefined;
  return {
    baseUrl: config.airbyteBaseUrl,
    timeoutMs: config.airbyteTimeoutSeconds * 1_000,
    credential,
    workspaceId: config.airbyteWorkspaceId,
  };
}
