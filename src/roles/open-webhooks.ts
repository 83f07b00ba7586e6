// Opens the webhooks of an installation: the key that seals their secrets, their settings, and the services that deliver.
import type { EnginePools } from '../engine/engine-pools.ts';
import type { DeliverDeps } from '../outbound/webhooks/deliver.ts';
import { createWebhookLoops, createWebhookService, type WebhookService } from '../outbound/webhooks/webhook-service.ts';
import { defaultWebhookSettings, type WebhookSettings } from '../outbound/webhooks/webhook-settings.ts';
import type { Config } from '../platform/config.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { KitAtWork } from './kits.ts';
import type { OpenedEngine } from './open-engine.ts';
import type { RoleProcess } from './role-process.ts';

export interface Webhooks {
  readonly service: WebhookService;
  readonly deps: DeliverDeps;
}

export function openWebhooks(config: Config, pools: EnginePools, box: SecretBox): Webhooks {
  const deps = { pool: pools.control, box, settings: webhookSettings(config) };
  return { service: createWebhookService(deps), deps };
}

/** Events become deliveries and are delivered, in this process too. */
export function startWebhooks(
  { log, shutdown }: RoleProcess,
  {
    webhooks,
    engine,
    pools,
    kits,
  }: OpenedEngine & { readonly webhooks: Webhooks; readonly kits: readonly KitAtWork[] },
): void {
  const services = createWebhookLoops({
    ...webhooks.deps,
    feedPool: pools.effects,
    log,
    election: engine.election,
    eventFields: Object.assign({}, ...kits.map(({ kit }) => kit.events ?? {})),
    onEvents: (listener) => engine.onEvents(listener),
  });
  services.start();
  shutdown.add('webhooks', () => services.stop());
}

function webhookSettings(config: Config): WebhookSettings {
  return {
    ...defaultWebhookSettings,
    allowPrivate: config.allowPrivateWebhooks,
    timeoutMs: config.webhookTimeoutSeconds * 1_000,
    concurrency: config.webhookConcurrency,
    endpointConcurrency: config.webhookEndpointConcurrency,
    disableAfterMs: config.webhookDisableAfterHours * 3_600_000,
    retentionDays: config.eventRetentionDays,
  };
}
