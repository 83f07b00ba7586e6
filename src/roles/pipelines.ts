// The pipelines of this installation: the ones that come with Millrace, and those of the modules that PIPELINE_MODULES names.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { AnyPipeline } from '../engine/pipeline.ts';
import { adsPipeline } from '../pipelines/ads/ads.pipeline.ts';
import { judgmentsPipeline } from '../pipelines/judgments/judgments.pipeline.ts';
import { syncsPipeline } from '../pipelines/syncs/syncs.pipeline.ts';
import type { SyncsDeps } from '../pipelines/syncs/syncs-deps.ts';
import type { BlobStore } from '../platform/blob/blob-store.ts';
import type { Queryable } from '../platform/database.ts';

export interface PipelineDeps {
  readonly blobs: BlobStore;
  readonly syncs: SyncsDeps;
}

export interface PipelineSet {
  readonly pipelines: readonly AnyPipeline[];
  /** Makes the tables of the modules' pipelines. */
  prepare(admin: Queryable): Promise<void>;
}

interface PipelineModule {
  readonly pipelines: readonly AnyPipeline[];
  readonly prepare?: (admin: Queryable) => Promise<void>;
}

export async function loadPipelines(deps: PipelineDeps, modules: string | undefined): Promise<PipelineSet> {
  const names = (modules ?? '').split(',').map((name) => name.trim());
  const loaded = await Promise.all(names.filter((name) => name !== '').map(loadModule));
  return {
    pipelines: [...ownPipelines(deps), ...loaded.flatMap(({ pipelines }) => pipelines)],
    async prepare(admin) {
      for (const { prepare } of loaded) await prepare?.(admin);
    },
  };
}

function ownPipelines({ blobs, syncs }: PipelineDeps): AnyPipeline[] {
  return [adsPipeline({ store: blobs }), judgmentsPipeline({ store: blobs }), syncsPipeline(syncs)];
}

async function loadModule(name: string): Promise<PipelineModule> {
  const file = path.resolve(name);
  const exported = await import(pathToFileURL(file).href).then(
    (module) => module as Record<string, unknown>,
    (error: Error) => {
      const reason = error.message.split('\n')[0] ?? error.name;
      throw new MillraceError('pipeline_module_invalid', { module: name, reason }, { cause: error });
    },
  );
  const pipelines = Object.values(exported).flat().filter(isPipeline);
  if (pipelines.length === 0)
    throw new MillraceError('pipeline_module_invalid', { module: name, reason: 'it exports no pipeline' });
  const { prepare } = exported;
  return typeof prepare === 'function'
    ? { pipelines, prepare: prepare as (admin: Queryable) => Promise<void> }
    : { pipelines };
}

function isPipeline(value: unknown): value is AnyPipeline {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['name', 'machine', 'input', 'stages', 'retry'].every((key) => key in value)
  );
}
