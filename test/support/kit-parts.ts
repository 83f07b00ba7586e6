// What the kits bring to the HTTP app that needs no more than an engine, for tests that open an app without an installation.
import type { Engine } from '../../src/engine/engine.ts';
import type { PipelineParts, PipelinePartsByName } from '../../src/http/pipeline-parts.ts';
import { kits } from '../../src/pipelines/all.ts';
import type { KitHost, PipelineKit } from '../../src/pipelines/kit.ts';

/** `given`: what the test brings itself, which goes first. */
export function kitParts(engine: Engine | undefined, given: PipelinePartsByName = {}): PipelinePartsByName {
  const known = kits.map((kit) => [kit.name, { ...factsOf(kit, engine), ...given[kit.name] }] as const);
  return { ...given, ...Object.fromEntries(known) };
}

function factsOf(kit: PipelineKit, engine: Engine | undefined): PipelineParts {
  const { title, rows, figures, channel, provider } = kit;
  const actions = engine === undefined ? undefined : kit.actions?.({ engine } as KitHost<unknown>);
  return {
    title,
    ...(rows ? { rows } : {}),
    ...(figures ? { figures } : {}),
    ...(actions ? { actions } : {}),
    ...(channel === undefined ? {} : { channel }),
    ...(provider === undefined ? {} : { provider }),
  };
}
