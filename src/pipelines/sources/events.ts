// The events of sources, and what webhooks may tell of each: ids, counts and codes.
import type { sourcesEvents as described } from '../../contract/pipelines/sources/events.ts';

export const sourcesEvents: Readonly<Record<keyof typeof described, readonly string[]>> = {
  'source.synced': ['source_id', 'seen', 'new', 'changed', 'unchanged', 'refused', 'vanished'],
  'source.failed': ['source_id', 'error_code'],
  'source.stale': ['source_id'],
  'source.unheard': ['source_id', 'error_code'],
};
