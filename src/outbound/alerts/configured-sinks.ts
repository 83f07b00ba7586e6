// Sinks that the operator names in the configuration. Every start saves them as rows, so that Millrace retries and logs their messages
// like all others; a sink whose setting is gone is switched off. They receive the alerts of every tenant.
import type { AlertSinkKind } from '../../contract/api/alert-metrics.ts';
import type { Config } from '../../platform/config.ts';
import type { Queryable } from '../../platform/database.ts';
import { checkOutboundUrl } from '../guarded-request.ts';
import type { SinkTarget } from './notice.ts';
import { type SinkBox, sealTarget } from './sink-target.ts';
import { saveConfiguredSink, switchOffOthers } from './sql/configured-sinks.ts';

export type ConfiguredTargets = Partial<Record<AlertSinkKind, SinkTarget>>;

/** One per kind, under an id that never changes. */
const ids: Readonly<Record<AlertSinkKind, string>> = {
  discord: '00000000-0000-7000-8000-0000000a1e01',
  slack: '00000000-0000-7000-8000-0000000a1e02',
  pagerduty: '00000000-0000-7000-8000-0000000a1e03',
  webhook: '00000000-0000-7000-8000-0000000a1e04',
};

export function configuredTargets(config: Config): ConfiguredTargets {
  const { discordWebhookUrl, slackWebhookUrl, alertWebhookUrl, pagerdutyRoutingKey, pagerdutyEventsUrl } = config;
  return {
    ...(discordWebhookUrl === undefined ? {} : { discord: { url: discordWebhookUrl } }),
    ...(slackWebhookUrl === undefined ? {} : { slack: { url: slackWebhookUrl } }),
    ...(alertWebhookUrl === undefined ? {} : { webhook: { url: alertWebhookUrl } }),
    ...(pagerdutyRoutingKey === undefined
      ? {}
      : { pagerduty: { url: pagerdutyEventsUrl, routingKey: pagerdutyRoutingKey } }),
  };
}

export async function saveConfiguredSinks(
  db: Queryable,
  box: SinkBox,
  targets: ConfiguredTargets,
  allowPrivate: boolean,
): Promise<void> {
  const named = Object.entries(targets) as [AlertSinkKind, SinkTarget][];
  for (const [kind, target] of named) {
    const { host } = checkOutboundUrl(target.url, allowPrivate);
    const sinkId = ids[kind];
    const name = `${kind} of the installation`;
    await saveConfiguredSink(db, { sinkId, name, kind, host, target: sealTarget(box, sinkId, target) });
  }
  await switchOffOthers(
    db,
    named.map(([kind]) => ids[kind]),
  );
}
