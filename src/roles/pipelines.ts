// The pipelines of this installation, in one list.
import type { AnyPipeline } from '../engine/pipeline.ts';
import type { BlobStore } from '../platform/blob/blob-store.ts';

export interface PipelineDeps {
  readonly blobs: BlobStore;
}

export function buildPipelines(_deps: PipelineDeps): AnyPipeline[] {
  return [];
}
