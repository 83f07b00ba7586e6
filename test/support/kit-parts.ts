// What the kits bring to the HTTP app that needs no more than an engine, for tests that open an app without an installation.
import type { Engine } from '../../src/engine/engine.ts';
import type { PipelineParts, PipelinePartsByName } from '../../src/http/pipeline-parts.ts';
import type { AlertedPipelines } from '../../src/outbound/alerts/pipeline-alerts.ts';
import { kits } from '../../src/pipelines/all.ts';
import type { KitBase, KitHost, PipelineKit } from '../../src/pipelines/kit.ts';
import { loadConfig, readSettings } from '../../src/platform/config.ts';
import { alertedOf } from '../../src/roles/kits.ts';

/** `given`: what the test brings itself, which goes first. */
export function kitParts(engine: Engine | undefined, given: PipelinePartsByName = {}): PipelinePartsByName {
  const known = kits.map((kit) => [kit.name, { ...factsOf(kit, engine), ...given[kit.name] }] as const);
  return { ...given, ...Object.fromEntries(known) };
}

function factsOf(kit: PipelineKit, engine: Engine | undefined): PipelineParts {
  const { title, isDefault = false, isPrivate = false, rows, figures, channel, provider, retriesAreAttempts } = kit;
  const actions = engine === undefined ? undefined : kit.actions?.({ engine } as KitHost<unknown>);
  return {
    title,
    isDefault,
    isPrivate,
    ...(retriesAreAttempts ? { retriesAreAttempts } : {}),
    ...(rows ? { rows } : {}),
    ...(figures ? { figures } : {}),
    ...(actions ? { actions } : {}),
    ...(channel === undefined ? {} : { channel }),
    ...(provider === undefined ? {} : { provider }),
  };
}

/** What the kits bring to alerts, with the settings as they are when nobody changes them. */
export const alertedKits: AlertedPipelines = Object.fromEntries(
  kits.map((kit) => [kit.name, alertedOf(kit, { config: loadConfig({}), settings: settingsOf(kit) } as KitBase)]),
);

function settingsOf({ settings }: PipelineKit): unknown {
  return settings === undefined ? {} : readSettings({ environment: {} }, settings);
}
