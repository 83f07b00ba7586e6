// The events of sources that a webhook can be told about, and the facts that alert rules can name.

export const sourcesEvents = {
  'source.synced': 'a sync of a source ended; the counts say what it found',
  'source.failed': 'a sync of a source failed',
  'source.stale': 'a source had no complete sync for too long',
  'source.unheard': 'the queue that announces the objects of a source cannot be read',
} as const;

export const sourcesAlertEvents = {
  source_failed: 'A sync of a source failed.',
  source_stale: 'A source had no complete sync for too long.',
  source_unheard: 'The queue that announces the objects of a source cannot be read.',
} as const;
